import type { KubeObject } from '../objects/object.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { redactedObject } from './evidence/redacted-object.ts';
import { redactionOf } from './evidence/release-redaction.ts';
import { releaseOfObject } from './objects/find-object.ts';
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
  const releases = await releaseOfObject(deployment, context);
  const { ofPods } = redactionOf(context, releases, { objects: [deployment], namespace });
  return await redactedObject(deployment, ofPods, signal);
}

export const operation = operationOf('deployment_info', {
  request: (payload) => payload,
  run: deploymentInfo,
  answer: (deployment) => ({ deployment: { ...deployment } }),
});
