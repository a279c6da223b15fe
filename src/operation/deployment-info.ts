import type { KubeObject } from '../objects/object.ts';
import type { Release } from '../release/release.ts';
import { ownerOf } from './apply/ownership.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { redactedObject } from './evidence/redacted-object.ts';
import { redactionOf } from './evidence/release-redaction.ts';
import { operationOf } from './command-operation.ts';
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
