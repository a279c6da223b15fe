import { messageOf } from '../errors/index.ts';
import { seenObject } from './apply/seen-object.ts';
import { Cancellation } from './cancellation.ts';
import { clockOffset, serverMilliseconds } from './clock.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import type { ReleaseDrift } from './drift/drift-release.ts';
import { OperationError } from './error.ts';
import { withRedaction } from './evidence/redacted-reports.ts';
import { redactedResources } from './evidence/redacted-resources.ts';
import { redactionOf } from './evidence/release-redaction.ts';
import { get } from './get.ts';
import { presentObjects } from './present-objects.ts';
import type { ResourceStatus } from './progress.ts';
import { publicRelease } from './release-answer.ts';
import { type StatusOfRelease, statusOptions } from './release-status.ts';
import type { WatchRequest } from './request.ts';
import { stepRunner, type StepTools } from './steps/step-runner.ts';
import { timeLimit } from './time-limit.ts';
import { createTracker } from './tracker/tracker.ts';
import { judgeAgain } from './wait/judge.ts';
import { followStatuses } from './wait/loop.ts';
import { watchRelatedObjects } from './wait/related-objects.ts';
import { withWatches } from './wait/watches.ts';

const defaultDuration = 24 * 60 * 60_000;

/** The last statuses of a release and, if the request asks for it, what differs at the end. */
type WatchedRelease = StatusOfRelease & Partial<Pick<ReleaseDrift, 'drift' | 'uncompared'>>;

/**
 * Reports the status of each object of a revision, and each change, until the operation is
 * cancelled or its time is over. Returns the last statuses. Throws `release_not_found`, and the
 * reason if the process ends.
 */
export async function watchRelease(context: OperationContext, request: WatchRequest): Promise<WatchedRelease> {
  if (request.drift === true && request.version !== undefined) {
    const message = 'drift: objects are compared with the newest revision; leave out version';
    throw new OperationError('bad_payload', message);
  }
  const stored = await get(context, request);
  const { signal, host, progress, startTimer } = context;
  const limit = timeLimit(request.timeout ?? defaultDuration, [signal], startTimer);
  try {
    const runner = stepRunner(limit.signal, host, progress);
    const redaction = redactionOf(context, [stored.release]);
    const last = await runner.step('watch', async (tools) => {
      const found = await withRedaction(tools, redaction, context.abandon, (redacting) =>
        together(redacting, [
          (each) => follow(context, each, stored, request),
          (each) => driftFollower(context, request, each),
        ]),
      );
      const [resources, drift] = found;
      return { resources: await redactedResources(resources, redaction, context.abandon), drift };
    });
    if (signal.aborted && !(signal.reason instanceof Cancellation)) signal.throwIfAborted();
    const { resources, drift } = last;
    if (drift === undefined) return { ...stored, resources };
    const { drift: differing, uncompared } = drift;
    return { ...stored, resources, drift: differing, ...(uncompared && { uncompared }) };
  } finally {
    limit.close();
  }
}

/** Runs two functions until both have ended. If one fails, the other one ends, too. */
async function together<First, Second>(
  tools: StepTools,
  [first, second]: readonly [(tools: StepTools) => Promise<First>, (tools: StepTools) => Promise<Second>],
): Promise<[First, Second]> {
  const failed = new AbortController();
  const each = { ...tools, signal: AbortSignal.any([tools.signal, failed.signal]) };
  const ends = [first(each), second(each)] as const;
  for (const end of ends) end.catch((error: unknown) => failed.abort(error));
  await Promise.allSettled(ends);
  return await Promise.all(ends);
}

async function driftFollower(
  context: OperationContext,
  { namespace, releaseName: name, drift = false, ignore }: WatchRequest,
  tools: StepTools,
): Promise<ReleaseDrift | undefined> {
  if (!drift) return undefined;
  const { followDrift } = await import('./drift/follow-drift.ts');
  const { readIgnoreRules } = await import('./drift/ignored-fields.ts');
  return await followDrift(context, { namespace, name, rules: readIgnoreRules(ignore) }, tools);
}

async function follow(
  context: OperationContext,
  tools: StepTools,
  { release }: Pick<StatusOfRelease, 'release'>,
  request: WatchRequest,
): Promise<readonly ResourceStatus[]> {
  const { host, cluster } = context;
  const present = await presentObjects({ ...context, signal: tools.signal }, release);
  const objects = present.flatMap((found) => ('ref' in found ? [found] : []));
  const tracker = context.tracker ?? createTracker(cluster);
  return await withWatches({ ...context, tracker }, tools.signal, async (watches) => {
    const related = watchRelatedObjects(watches, (message) => tools.report({ message }));
    return await followStatuses(watches, tools, host, {
      fixed: present.flatMap((found) => ('unknown' in found ? [found.unknown] : [])),
      objects: objects.map(({ ref, object, steering }) => {
        return { ...(object ? seenObject(ref, object) : { ref }), steering };
      }),
      labelled: true,
      judge: (object, ref, previous) =>
        judgeAgain(ref, object, related.of, {
          ...statusOptions(request),
          now: serverMilliseconds(context),
          previous,
        }),
      clockOffset: () => clockOffset(context),
      relatedVersion: ({ namespace }) => related.version(namespace),
      judgeRefused: (ref, refusal) => ({ status: { ...ref, status: 'Unknown', reason: messageOf(refusal) } }),
    });
  });
}

export const operation = operationOf('watch_release', {
  request: (payload) => payload,
  run: watchRelease,
  answer: ({ release, resources, drift, uncompared }) => ({
    release: publicRelease(release),
    resources,
    ...(drift && { drift }),
    ...(uncompared && { uncompared }),
  }),
});
