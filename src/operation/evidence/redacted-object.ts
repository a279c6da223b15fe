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
  const texts: string[] = [];
  withTexts(object, (text) => {
    texts.push(text);
    return text;
  });
  const redacted = await redact(texts, signal);
  let index = 0;
  return withTexts(object, () => redacted[index++] ?? '') as KubeObject; // the fields are the same
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
