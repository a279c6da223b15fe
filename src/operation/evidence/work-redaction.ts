import type { OperationState } from '../state/operation-state.ts';
import { ownRevision, type Work } from '../work.ts';
import { asSecrets, type Manifests, type Redaction, redactionOf } from './release-redaction.ts';

/** Number of releases whose secrets are replaced: the newest one, and those that it starts from. */
const maxReleases = 4;

/**
 * Returns the redaction of what an operation deploys, and of the revisions that it starts from or
 * goes back to. `state` returns its present state.
 */
export function redactionOfWork(state: () => OperationState, work: Work<unknown>): Redaction {
  const known = () => knownRedaction(state(), work);
  return {
    ofServer: (texts, signal) => known().ofServer(texts, signal),
    async ofPods(texts, signal) {
      // an operation on single objects deploys no revision
      if (state().verb !== 'act') await ownRevision(work, state(), signal);
      return await known().ofPods(texts, signal);
    },
  };
}

/** Returns the redaction of the manifests that this process has read or rendered. */
function knownRedaction(state: OperationState, { context, cache }: Work<unknown>): Redaction {
  const { revisions, rendered, rehearsed, sources } = cache;
  const { version, target, baselines = [] } = state.revision ?? {};
  const versions = [version, target, ...baselines].filter((one) => one !== undefined && revisions.has(one));
  const fresh = rendered ?? rehearsed;
  const { actedOn } = cache;
  if (actedOn !== undefined) return redactionOf(context, [], { objects: actedOn, namespace: state.namespace });
  // until the chart is rendered, only the command says what is secret
  const given = fresh === undefined ? (sources?.secret.texts ?? []) : [];
  const key = [fresh !== undefined ? 'rendered' : given.length > 0 ? 'given' : '', ...versions].join(' ');
  if (cache.redaction?.key === key) return cache.redaction;
  const { namespace } = state;
  const releases: Manifests[] = [
    ...(fresh === undefined ? [] : [{ ...fresh, namespace, secret_values: fresh.secretPaths }]),
    ...versions.flatMap((one) => revisions.get(one ?? 0)?.release ?? []),
  ];
  const others = { objects: asSecrets(given), namespace };
  cache.redaction = { key, ...redactionOf(context, releases.slice(0, maxReleases), others) };
  return cache.redaction;
}
