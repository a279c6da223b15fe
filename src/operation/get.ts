import { coalesceValues, type Defaults } from '../chart/values/coalesce.ts';
import { plainObject, valueMapOfPlain } from '../release/plain-value.ts';
import type { Release } from '../release/release.ts';
import type { ValueWarning } from '../render/notice.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { publicRelease } from './release-answer.ts';
import type { GetRequest } from './request.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';

/** A revision as it is stored. */
export interface StoredRelease {
  release: Release;
  /** All labels of the stored object. */
  labels: Record<string, string>;
  /** The chart's defaults under the user's values, if the request asks for them. */
  values?: Record<string, unknown>;
}

/** Returns a revision of a release. Throws `release_not_found`. */
export async function get(context: OperationContext, request: GetRequest): Promise<StoredRelease> {
  const { storage, signal, onValueWarning = () => undefined } = context;
  const { namespace, releaseName: name, version, allValues = false } = request;
  checkReleaseName(name, () => `releaseContent: Release name is invalid: ${name}`);
  checkNamespace(namespace);
  const revision =
    version === undefined
      ? (await storage.query({ namespace, name, latestOnly: true }, signal))[0]
      : await storage.get({ namespace, name, version }, signal);
  if (revision === undefined) throw new OperationError('release_not_found', 'release: not found');
  const { release, labels } = revision;
  return { release, labels, ...(allValues && { values: computedValues(release, onValueWarning) }) };
}

/** Merges values as `helm get values --all` does (pkg/action/get_values.go). */
function computedValues(
  { chart, config = {} }: Release,
  onWarning: (warning: ValueWarning) => void,
): Record<string, unknown> {
  const defaults: Defaults = {
    metadata: { name: chart.metadata?.name ?? '' },
    values: valueMapOfPlain(chart.values ?? {}),
    dependencies: [],
  };
  return plainObject(coalesceValues(defaults, valueMapOfPlain(config), (message) => onWarning({ message })));
}

export const operation = operationOf('get_release', {
  request: (payload) => payload,
  run: get,
  answer: ({ release, ...stored }) => ({ release: publicRelease(release), ...stored }),
});
