import { fieldAt, objectsAt, stringAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { seenObject } from '../apply/seen-object.ts';
import { epochMilliseconds } from '../clock.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { earliestOf } from './loop.ts';
import { type WaitContext, watchObjects, withWatches } from './watches.ts';

/** Time that the Job controller has to start a Job, in milliseconds. */
export const jobStartTimeout = 15_000;

export interface JobStartOptions {
  context: WaitContext;
  tools: Pick<StepTools, 'report' | 'signal'>;
}

/**
 * Waits until the Job controller has started a Job that is to be deleted and created again. Does
 * nothing for other kinds. Reports that it waits, and that the time is up, after which it returns.
 * `live` is the Job as it was read, which may have only its metadata.
 *
 * The controller counts by name which pods it has created and not seen yet. If a Job is deleted
 * before that, the next one with its name gets no pod for five minutes
 * (https://github.com/kubernetes/kubernetes/issues/131917).
 */
export async function waitUntilJobStarted(
  ref: ObjectRef,
  live: KubeObject,
  { context, tools }: JobStartOptions,
): Promise<void> {
  if (groupKind(ref) !== 'batch/Job' || isStarted(live)) return;
  const job = seenObject(ref, live);
  await withWatches(context, tools.signal, async (watches) => {
    const objects = watchObjects(watches, { labelled: false });
    const deadline = epochMilliseconds(context.host) + jobStartTimeout;
    let isReported = false;
    for (;;) {
      const now = epochMilliseconds(context.host);
      const found = objects.find(job, now);
      if (found !== 'unknown' && (found === undefined || found.metadata.uid !== job.uid || isStarted(found))) return;
      if (found !== 'unknown' && !isReported) {
        tools.report({ message: `waiting for the start of Job ${ref.name}, which is deleted then` });
        isReported = true;
      }
      if (now >= deadline) {
        tools.report({ message: `Job ${ref.name} was not started for ${jobStartTimeout / 1000}s; deleting it` });
        return;
      }
      await watches.nextChange(earliestOf([deadline - now, objects.nextLook(now)]));
      tools.signal.throwIfAborted();
    }
  });
}

/** Whether the controller has started or suspended the Job, or never will. */
function isStarted(job: KubeObject): boolean {
  const manager = stringAt(job, 'spec', 'managedBy') ?? jobController;
  return (
    manager !== jobController ||
    job.metadata.deletionTimestamp !== undefined ||
    fieldAt(job, 'status', 'startTime') !== undefined ||
    objectsAt(job, 'status', 'conditions').length > 0
  );
}

const jobController = 'kubernetes.io/job-controller';
