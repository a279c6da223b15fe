import type { KubeObject } from '../objects/object.ts';
import type { Release } from '../release/release.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import type { DeploymentInfoRequest, GetRequest, ListRequest } from './request.ts';

/** Returns the highest revision of each release, sorted by namespace and name. */
export async function list({ storage, signal }: OperationContext, { namespace }: ListRequest): Promise<Release[]> {
  if (namespace !== undefined) checkNamespace(namespace);
  const revisions = await storage.query({ latestOnly: true, ...(namespace !== undefined && { namespace }) }, signal);
  return revisions
    .map(({ release }) => release)
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a revision of a release. Throws `release_not_found`. */
export async function get({ storage, signal }: OperationContext, request: GetRequest): Promise<Release> {
  const { namespace, releaseName: name, version } = request;
  checkReleaseName(name, () => `releaseContent: Release name is invalid: ${name}`);
  checkNamespace(namespace);
  const revision =
    version === undefined
      ? (await storage.query({ namespace, name, latestOnly: true }, signal))[0]
      : await storage.get({ namespace, name, version }, signal);
  if (revision === undefined) throw new OperationError('release_not_found', 'release: not found');
  return revision.release;
}

/** Returns a Deployment. Throws `deployment_not_found`. */
export async function deploymentInfo(
  { cluster, signal }: OperationContext,
  { namespace, name }: DeploymentInfoRequest,
): Promise<KubeObject> {
  checkNamespace(namespace);
  const deployment = await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, signal);
  if (deployment) return deployment;
  throw new OperationError('deployment_not_found', `deployments.apps ${JSON.stringify(name)} not found`);
}
