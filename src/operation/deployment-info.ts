import { isJsonObject } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Release } from '../release/release.ts';
import { ownerOf } from './apply/ownership.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { redactionOf, type Redact } from './evidence/release-redaction.ts';
import type { RequestOf } from './request.ts';
import { checkNamespace } from './steps/names.ts';

/**
 * Returns a Deployment without the secrets in its texts: those of its pods, and of the release that
 * it names. Throws `deployment_not_found`.
 */
export async function deploymentInfo(
  context: OperationContext,
  { namespace, deploymentName: name }: RequestOf<'deployment_info'>,
): Promise<KubeObject> {
  const { cluster, signal } = context;
  checkNamespace(namespace);
  const deployment = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, signal);
  if (deployment === undefined) {
    throw new OperationError('deployment_not_found', `deployments.apps ${JSON.stringify(name)} not found`);
  }
  const releases = await releaseOf(deployment, context);
  const { ofPods } = redactionOf(context, releases, { objects: [deployment], namespace });
  return await redactedObject(deployment, ofPods, signal);
}

/** Returns the newest revision of the release that an object names, if it can be read. */
async function releaseOf(object: KubeObject, { storage, signal }: OperationContext): Promise<Release[]> {
  const owner = ownerOf(object);
  if (owner === undefined) return [];
  try {
    return (await storage.query({ ...owner, latestOnly: true }, signal)).map(({ release }) => release);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

export const operation = operationOf('deployment_info', {
  request: (payload) => payload,
  run: deploymentInfo,
  answer: (deployment) => ({ deployment: { ...deployment } }),
});

/** Fields by which objects find each other, and images. Kubernetes shows them everywhere. */
const keptFields: ReadonlySet<string> = new Set([
  ...(['apiVersion', 'kind', 'name', 'namespace', 'uid', 'resourceVersion', 'image'] as const),
  ...(['labels', 'matchLabels', 'selector'] as const),
]);

/** Returns an object without the secrets in its texts. Names, labels and images stay. */
async function redactedObject(object: KubeObject, redact: Redact, signal: AbortSignal): Promise<KubeObject> {
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
