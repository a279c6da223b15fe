import type { KubeObject } from '../objects/object.ts';
import { coalesceValues, type Defaults } from '../chart/values/coalesce.ts';
import { history } from '../release/history.ts';
import { plainObject, valueMapOfPlain } from '../release/plain-value.ts';
import type { Release } from '../release/release.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import type { DeploymentInfoRequest, GetRequest, HistoryRequest } from './request.ts';

/** A revision as it is stored. */
export interface StoredRelease {
  release: Release;
  /** All labels of the stored object. */
  labels: Record<string, string>;
  /** The chart's defaults under the user's values, if the request asks for them. */
  values?: Record<string, unknown>;
}

/** Returns a revision of a release. Throws `release_not_found`. */
export async function get({ storage, signal }: OperationContext, request: GetRequest): Promise<StoredRelease> {
  const { namespace, releaseName: name, version, allValues = false } = request;
  checkReleaseName(name, () => `releaseContent: Release name is invalid: ${name}`);
  checkNamespace(namespace);
  const revision =
    version === undefined
      ? (await storage.query({ namespace, name, latestOnly: true }, signal))[0]
      : await storage.get({ namespace, name, version }, signal);
  if (revision === undefined) throw new OperationError('release_not_found', 'release: not found');
  const { release, labels } = revision;
  return { release, labels, ...(allValues && { values: computedValues(release) }) };
}

/** Merges values as `helm get values --all` does (pkg/action/get_values.go). */
function computedValues({ chart, config = {} }: Release): Record<string, unknown> {
  const defaults: Defaults = {
    metadata: { name: chart.metadata?.name ?? '' },
    values: valueMapOfPlain(chart.values ?? {}),
    dependencies: [],
  };
  return plainObject(coalesceValues(defaults, valueMapOfPlain(config), () => undefined));
}

/** Default number of revisions of `helm history`. */
const defaultMax = 256;

/** Returns the newest revisions of a release, the oldest first. Throws `release_not_found`. */
export async function releaseHistory(context: OperationContext, request: HistoryRequest): Promise<Release[]> {
  const { namespace, releaseName, max = defaultMax } = request;
  checkReleaseName(releaseName, () => `release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  const revisions = await history(context.storage, namespace, releaseName, context.signal);
  if (revisions.length === 0) throw new OperationError('release_not_found', 'release: not found');
  return revisions.slice(-max).map(({ release }) => release);
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
