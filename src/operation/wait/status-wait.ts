import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { changeNotice } from './change-notice.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus, ResourceStatusName } from '../progress.ts';
import type { StepTools } from '../steps/steps.ts';
import { watchTargets } from './target-watch.ts';

/** What is waited for. */
export interface StatusWait {
  cluster: Cluster;
  refs: readonly ObjectRef[];
  /** As in `watchTargets`. */
  labelled: boolean;
  wanted: ResourceStatusName;
  /** The status of an object as it is now; undefined: it is not there. */
  look(ref: ObjectRef, object: KubeObject | undefined, before: ResourceStatus | undefined): ResourceStatus;
  /** Throws where waiting longer is of no use. */
  judge(remaining: readonly ResourceStatus[]): void;
  /** A line for the error of a wait that was interrupted. */
  describe(remaining: ResourceStatus): string;
  /** Ends when everything has ended that `begin` started. */
  ended?(): Promise<unknown>;
}

/** Some rules look at the clock; in milliseconds. */
const recheckInterval = 250;

/**
 * Follows the objects of `refs` until all have the wanted status, and reports each change of a status or its reason; the first time all of them.
 * `begin` gets what to call when something changed on which a status depends, and a signal that ends with the wait.
 * At the end of the step's signal, throws its reason's code with what remained. Fails where the API refuses to be watched.
 */
export async function waitForStatus(
  begin: (notify: () => void, signal: AbortSignal) => StatusWait,
  tools: StepTools,
): Promise<void> {
  const ending = new AbortController();
  const { notify, next } = changeNotice();
  const signal = AbortSignal.any([tools.signal, ending.signal]);
  tools.signal.addEventListener('abort', notify, { signal: ending.signal });
  const timer = setInterval(notify, recheckInterval);

  const wait = begin(notify, signal);
  const targets = watchTargets(wait.cluster, wait.refs, { labelled: wait.labelled, signal, onChange: notify });
  let refusal: { error: unknown } | undefined;
  const finished = targets.finished.catch((error: unknown) => {
    refusal = { error };
    notify();
  });

  let known: ResourceStatus[] = [];
  try {
    for (;;) {
      const statuses = wait.refs.map((ref, index): ResourceStatus => {
        const object = targets.look(ref);
        return object === 'unknown' ? { ...ref, status: 'Unknown' } : wait.look(ref, object, known[index]);
      });
      if (!statuses.some(({ status }) => status === 'Unknown')) report(statuses);
      const remaining = statuses.filter(({ status }) => status !== wait.wanted);
      if (remaining.length === 0) return;
      wait.judge(remaining);
      await next();
      if (refusal) throw refusal.error;
      if (tools.signal.aborted) throw interruption(tools.signal.reason, remaining, wait);
    }
  } finally {
    clearInterval(timer);
    ending.abort();
    await Promise.all([finished, wait.ended?.()]);
  }

  function report(statuses: ResourceStatus[]): void {
    const changed = statuses.filter(
      ({ status, reason }, index) => status !== known[index]?.status || reason !== known[index].reason,
    );
    known = statuses;
    if (changed.length > 0) tools.report({ resources: changed });
  }
}

function interruption(reason: unknown, remaining: readonly ResourceStatus[], wait: StatusWait): unknown {
  if (!(reason instanceof OperationError)) return reason;
  const message = [reason.message, ...remaining.map((resource) => wait.describe(resource))].join('\n');
  return new OperationError(reason.code, message, { cause: reason, resources: remaining });
}
