import { fieldAt, type JsonObject, numberAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Condition, conditionsOf, withConditions } from '../cluster/conditions.ts';
import { timestamp } from '../sandbox-host.ts';
import { type Controller, type ControllerTools, itself, ownerOf } from './controller.ts';
import { recordEvent } from './events.ts';
import { podFromTemplate } from './pod-template.ts';
import { controlledBy, isPodActive, isPodReady, keyOf, liveObject, pods, typeOf, writeStatus } from './workload.ts';

/** The failed pods of each Job by uid, and the simulated time at which the last one was seen. */
type Failures = Map<string, { count: number; time: number }>;

/** Runs the pods of a Job until enough have succeeded or too many have failed. */
export function jobController(): Controller {
  // Simulated time at which a Job with a time to live finished, by uid: status has whole seconds.
  const finishTimes = new Map<string, number>();
  const failures: Failures = new Map();
  return {
    name: 'job',
    watches: { 'batch/jobs': itself, [pods]: ownerOf('Job') },
    reconcile(key, tools) {
      const job = liveObject(tools, 'batch/jobs', key);
      if (!job) return;
      if (!isFinished(job)) {
        run(tools, job, failures);
        return;
      }
      failures.delete(job.metadata.uid ?? '');
      const seconds = numberAt(job, 'spec', 'ttlSecondsAfterFinished');
      if (seconds === undefined) return;
      const { uid = '' } = job.metadata;
      const finishTime = finishTimes.get(uid) ?? tools.elapsed();
      finishTimes.set(uid, finishTime);
      const left = finishTime + seconds * 1000 - tools.elapsed();
      if (left > 0) {
        tools.requeueAfter(left);
        return;
      }
      finishTimes.delete(uid);
      tools.objects.remove(typeOf(tools, 'batch/v1', 'Job'), key.namespace, key.name, {
        propagationPolicy: 'Foreground',
      });
    },
  };
}

/**
 * Delay before the first pod after a failure, in simulated milliseconds. It doubles with each
 * failure.
 */
const firstBackOff = 10_000;
const maxBackOff = 360_000;

function run(tools: ControllerTools, job: KubeObject, failures: Failures): void {
  const all = controlledBy(tools, job, pods);
  const phase = (pod: KubeObject): string | undefined => stringAt(pod, 'status', 'phase');
  const succeeded = all.filter((pod) => phase(pod) === 'Succeeded').length;
  const failed = all.filter((pod) => phase(pod) === 'Failed').length;
  const active = all.filter(isPodActive);
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const spec = {
    completions: numberAt(job, 'spec', 'completions'),
    parallelism: numberAt(job, 'spec', 'parallelism') ?? 1,
    backoffLimit: numberAt(job, 'spec', 'backoffLimit') ?? 6,
    suspended: fieldAt(job, 'spec', 'suspend') === true,
  };
  const counts = { succeeded, failed };
  const ending = endingOf(tools, job, spec, { succeeded, failed: failed + restarts, active: active.length });
  if (ending) {
    finish(tools, job, active, counts, ending);
    return;
  }
  const startTime = stringAt(job, 'status', 'startTime') ?? timestamp(tools.host);
  if (!spec.suspended) startPods(tools, job, spec, { succeeded, failed, active: active.length }, failures);
  const running = controlledBy(tools, job, pods).filter(isPodActive);
  writeStatus(tools, job, {
    ...(!spec.suspended && { startTime }),
    ...(running.length > 0 && { active: running.length }),
    ready: running.filter(isPodReady).length,
    ...nonZero(counts),
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: spec.suspended ? withConditions(tools, conditionsOf(job), suspendedCondition) : conditionsOf(job),
  });
}

const suspendedCondition: Condition = {
  type: 'Suspended',
  status: 'True',
  reason: 'JobSuspended',
  message: 'Job suspended',
};

interface JobSpec {
  completions: number | undefined;
  parallelism: number;
  backoffLimit: number;
  suspended: boolean;
}

interface Ending {
  succeeded: boolean;
  reason: string;
  message: string;
}

function endingOf(
  tools: ControllerTools,
  job: KubeObject,
  spec: JobSpec,
  pods: { succeeded: number; failed: number; active: number },
): Ending | undefined {
  if (pods.failed > spec.backoffLimit) {
    return { succeeded: false, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const enough =
    spec.completions === undefined ? pods.succeeded > 0 && pods.active === 0 : pods.succeeded >= spec.completions;
  if (enough)
    return { succeeded: true, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const deadline = numberAt(job, 'spec', 'activeDeadlineSeconds');
  const started = stringAt(job, 'status', 'startTime');
  if (deadline === undefined || started === undefined) return undefined;
  const left = deadline * 1000 - (Number(tools.host.now() / 1_000_000n) - Date.parse(started)) * tools.speed;
  if (left <= 0)
    return { succeeded: false, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  tools.requeueAfter(left);
  return undefined;
}

function startPods(
  tools: ControllerTools,
  job: KubeObject,
  spec: JobSpec,
  now: { succeeded: number; failed: number; active: number },
  failures: Failures,
): void {
  const missing =
    spec.completions === undefined ? (now.succeeded > 0 ? 0 : spec.parallelism) : spec.completions - now.succeeded;
  const wanted = Math.min(spec.parallelism, missing) - now.active;
  if (wanted <= 0) return;
  const wait = backOffLeft(tools, job, now.failed, failures);
  if (wait > 0) {
    tools.requeueAfter(wait);
    return;
  }
  const { namespace, name } = keyOf(job);
  for (let count = 0; count < wanted; count++) {
    const pod = tools.objects.create(
      typeOf(tools, 'v1', 'Pod'),
      namespace,
      podFromTemplate(job, { generateName: `${name}-` }),
    );
    const message = `Created pod: ${pod.metadata.name}`;
    recordEvent(tools, job, { type: 'Normal', reason: 'SuccessfulCreate', message, component: 'job-controller' });
  }
}

/** Returns the remaining delay before the next pod after a failure, in simulated milliseconds. */
function backOffLeft(tools: ControllerTools, job: KubeObject, failed: number, failures: Failures): number {
  if (failed === 0) return 0;
  const { uid = '' } = job.metadata;
  const known = failures.get(uid);
  const last = known?.count === failed ? known : { count: failed, time: tools.elapsed() };
  failures.set(uid, last);
  return last.time + Math.min(firstBackOff * 2 ** (failed - 1), maxBackOff) - tools.elapsed();
}

function restartsOf(pod: KubeObject): number {
  return objectsAt(pod, 'status', 'containerStatuses').reduce(
    (sum, status) => sum + (numberAt(status, 'restartCount') ?? 0),
    0,
  );
}

function finish(
  tools: ControllerTools,
  job: KubeObject,
  active: KubeObject[],
  counts: Record<string, number>,
  ending: Ending,
): void {
  const type = typeOf(tools, 'v1', 'Pod');
  for (const pod of active) tools.objects.remove(type, pod.metadata.namespace ?? '', pod.metadata.name);
  const { reason, message, succeeded } = ending;
  const condition = (name: string): Condition => ({
    type: name,
    status: 'True',
    reason,
    message,
    lastProbeTime: timestamp(tools.host),
  });
  const names = succeeded ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed'];
  const failed = counts['failed'] ?? 0;
  const total = succeeded ? failed : failed + active.length;
  writeStatus(tools, job, {
    startTime: stringAt(job, 'status', 'startTime') ?? timestamp(tools.host),
    ...(succeeded && { completionTime: timestamp(tools.host) }),
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    ...nonZero({ ...counts, failed: total }),
    conditions: withConditions(
      tools,
      conditionsOf(job).filter(({ type }) => type !== 'Suspended'),
      ...names.map(condition),
    ),
  });
  recordEvent(tools, job, {
    type: succeeded ? 'Normal' : 'Warning',
    reason: succeeded ? 'Completed' : reason,
    message: succeeded ? 'Job completed' : message,
    component: 'job-controller',
  });
}

function isFinished(job: KubeObject): boolean {
  return conditionsOf(job).some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

function nonZero(counts: Record<string, number>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
