import type { OperationState } from '../state/operation-state.ts';
import { ownRevision, type Work } from '../work.ts';
import { type Manifests, type Redaction, redactionOf } from './release-redaction.ts';

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
  const { revisions, rendered, rehearsed } = cache;
  const { version, target, baselines = [] } = state.revision ?? {};
  const versions = [version, target, ...baselines].filter((one) => one !== undefined && revisions.has(one));
  const fresh = rendered ?? rehearsed;
  const { actedOn } = cache;
  if (actedOn !== undefined) return redactionOf(context, [], { objects: actedOn, namespace: state.namespace });
  const key = [fresh === undefined ? '' : 'rendered', ...versions].join(' ');
  if (cache.redaction?.key === key) return cache.redaction;
  const { namespace } = state;
  const releases: Manifests[] = [
    ...(fresh === undefined ? [] : [{ manifest: fresh.manifest, hooks: fresh.hooks, namespace }]),
    ...versions.flatMap((one) => revisions.get(one ?? 0)?.release ?? []),
  ];
  cache.redaction = { key, ...redactionOf(context, releases.slice(0, maxReleases)) };
  return cache.redaction;
}
