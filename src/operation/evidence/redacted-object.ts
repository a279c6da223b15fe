import { isJsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Redact } from './release-redaction.ts';

/** Fields by which objects find each other, and images. Kubernetes shows them everywhere. */
const keptFields: ReadonlySet<string> = new Set([
  ...(['apiVersion', 'kind', 'name', 'namespace', 'uid', 'resourceVersion', 'image'] as const),
  ...(['labels', 'matchLabels', 'selector'] as const),
]);

/** Returns an object without the secrets in its texts. Names, labels and images stay. */
export async function redactedObject(object: KubeObject, redact: Redact, signal: AbortSignal): Promise<KubeObject> {
  return (await redactedValue(object, redact, signal)) as KubeObject; // the fields are the same
}

/** Returns a value without the secrets in its texts, as {@link redactedObject} does. */
export async function redactedValue(value: unknown, redact: Redact, signal: AbortSignal): Promise<unknown> {
  const texts: string[] = [];
  withTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  if (texts.length === 0) return value;
  const redacted = await redact(texts, signal);
  let index = 0;
  return withTexts(value, () => redacted[index++] ?? '');
}

/** Returns a value with the texts that `replace` returns for those in it, in their order. */
function withTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, replace));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, keptFields.has(name) ? child : withTexts(child, replace)]),
  );
}
