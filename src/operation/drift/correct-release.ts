import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import { PolicyError } from '../../policy/policy-error.ts';
import { releaseKey } from '../../protocol/commands/definition.ts';
import type { Drift } from '../../protocol/drift.ts';
import { applyStrategy } from '../apply/apply-strategy.ts';
import { forEach } from '../apply/concurrency.ts';
import { requireNoOtherOwner } from '../apply/ownership-check.ts';
import { Cancellation } from '../cancellation.ts';
import { certainWrites } from '../certain-writes.ts';
import { epochMilliseconds } from '../clock.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext, TakeTurn } from '../context.ts';
import { OperationError } from '../error.ts';
import { redactedDrift } from '../evidence/redacted-drift.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import type { RequestOf } from '../request.ts';
import { defaultTimeout } from '../state/deadline.ts';
import { stepRunner, type StepTools } from '../steps/step-runner.ts';
import { requireTrusted } from '../steps/trust.ts';
import { timeLimit } from '../time-limit.ts';
import { type Baseline, isCurrent, readBaseline } from './baseline.ts';
import { type Compared, compareObject } from './compare-object.ts';
import { CorrectionCounts } from './correction-counts.ts';
import type { ReleaseDrift } from './drift-release.ts';
import { followDrift, type HandleDrift } from './follow-drift.ts';
import { type IgnoreRule, readIgnoreRules } from './ignored-fields.ts';

const followTime = 24 * 60 * 60_000;

/** Pause before an object is put back for the second time; it doubles each time. Milliseconds. */
const firstPause = 10_000;
const longestPause = 10 * 60_000;

type Request = RequestOf<'correct_release'>;

/**
 * Puts back the objects of a release that differ: once, or each time until the command is cancelled
 * or its time is over. Returns what has differed or, of a command that follows the release, what
 * differs at the end. Throws `apply_failed` if an object cannot be put back.
 */
export async function correctRelease(context: OperationContext, request: Request): Promise<ReleaseDrift> {
  const rules = readIgnoreRules(request.ignore);
  const { signal, abandon, startTimer, host, progress } = context;
  const follows = request.watch === true;
  const limit = timeLimit(request.timeout ?? (follows ? followTime : defaultTimeout), [signal, abandon], startTimer);
  try {
    const runner = stepRunner(limit.signal, host, progress);
    if (!follows) return await runner.step('apply', (tools) => correctOnce(context, request, rules, tools));
    const found = await runner.step('watch', async (tools) => {
      const handle = correcting({ ...context, signal: tools.signal }, rules, tools);
      const options = { namespace: request.namespace, name: request.releaseName, rules, handle };
      const followed = () => followDrift(context, options, tools);
      return context.whileWaiting === undefined ? await followed() : await context.whileWaiting(followed);
    });
    abandon?.throwIfAborted();
    if (signal.aborted && !(signal.reason instanceof Cancellation)) signal.throwIfAborted();
    return found;
  } finally {
    limit.close();
  }
}

async function correctOnce(
  context: OperationContext,
  request: Request,
  rules: readonly IgnoreRule[],
  tools: StepTools,
): Promise<ReleaseDrift> {
  const { signal } = tools;
  const baseline = await readBaseline(context, request, signal);
  requireTrustedBaseline(context, baseline);
  const redaction = redactionOf(context, [baseline.revision.release]);
  // in the order of the manifest, as an upgrade does
  const all: Drift[] = [];
  const compared = await forEach(baseline.objects, (item) =>
    compareObject(item, baseline, rules, { ...tools, cluster: context.cluster }),
  );
  for (const found of compared) {
    if (found.drift === undefined) continue;
    const result = await corrected({ ...found, drift: found.drift }, baseline, context, tools);
    const drift = await redactedDrift(result.drift, redaction, context.abandon);
    tools.report({ drift: [drift] });
    all.push(drift);
  }
  const failed = all.filter((drift) => drift.corrected !== true);
  if (failed.length > 0) {
    const reasons = failed.map(({ kind, name, reason = '' }) => `${kind} ${name}: ${reason}`);
    throw new OperationError('apply_failed', `cannot put back ${reasons.join('\n')}`);
  }
  tools.done(`${all.length} of ${compared.length} objects were put back`);
  return { revision: baseline.version, drift: all, unchanged: compared.length - all.length };
}

function requireTrustedBaseline(context: OperationContext, { revision }: Baseline): void {
  requireTrusted(context, revision, 'objects are not put back', 'upgrade the release');
}

/**
 * Returns a function that puts objects back, each in its turn on the release. One that is changed
 * again and again waits longer each time, so that two controllers do not fight without end. So does
 * one whose correction is not sent, as when the policy refuses it.
 */
function correcting(context: OperationContext, rules: readonly IgnoreRule[], tools: StepTools): HandleDrift {
  const { corrections = new CorrectionCounts() } = context;
  const unsent = new CorrectionCounts();
  const takeTurn: TakeTurn = context.takeTurn ?? ((_, change) => change());
  const { signal } = tools;
  return async ({ item, drift }, baseline) => {
    const identity = identityOf(item.ref);
    const now = epochMilliseconds(context.host);
    const { count, last } = corrections.of(identity, now);
    const allowed = last + (count === 0 ? 0 : pauseAfter(count - 1));
    if (now < allowed) return { drift: { ...drift, reason: waitingText(drift, count, allowed) }, again: allowed };
    const afterUnsent = () => {
      const before = unsent.of(identity, now).count;
      unsent.add(identity, now);
      return now + pauseAfter(count + before);
    };
    try {
      requireTrustedBaseline(context, baseline);
      const release = releaseKey(ownerRequest(baseline)) ?? '';
      const turn = { release, reason: reasonOf(drift), isOneOfMany: true, signal };
      const result = await takeTurn(turn, async (limits) => {
        const limited = { ...context, ...limits };
        if (!(await isCurrent(limited, baseline, signal)))
          return { drift: { ...drift, reason: 'the release has changed' }, isSent: false };
        const found = await compareObject(item, baseline, rules, { ...tools, cluster: limited.cluster });
        return found.drift && (await corrected({ ...found, drift: found.drift }, baseline, limited, tools));
      });
      if (result === undefined) return { drift: { ...drift, corrected: true } };
      if (result.isSent) corrections.add(identity, now);
      const redaction = redactionOf(context, [baseline.revision.release]);
      const redacted = await redactedDrift(result.drift, redaction, context.abandon);
      if (redacted.corrected === true) return { drift: redacted };
      return { drift: redacted, again: result.isSent ? now + pauseAfter(count) : afterUnsent() };
    } catch (error) {
      signal.throwIfAborted();
      if (hasClusterErrorCode(error, 'unreachable')) throw error;
      // unlike the reason, the message may have the present time
      const reason = error instanceof PolicyError ? error.reason : messageOf(error);
      return { drift: { ...drift, reason }, again: afterUnsent() };
    }
  };
}

/** Returns the pause after as many others. Milliseconds. */
function pauseAfter(count: number): number {
  return Math.min(longestPause, firstPause * 2 ** count);
}

function ownerRequest({ owner: { name, namespace } }: Baseline) {
  return { namespace, releaseName: name };
}

function waitingText({ fields = [] }: Drift, count: number, allowed: number): string {
  const managers = [...new Set(fields.flatMap(({ manager }) => manager ?? []))];
  const by = managers.length === 0 ? '' : ` by ${managers.slice(0, 5).join(', ')}`;
  const times = count === 1 ? 'once' : `${count} times`;
  return `it was put back ${times}, and was changed again${by}; it is put back at ${new Date(allowed).toISOString()} again, unless the field is ignored`;
}

/** Returns what was changed and by whom, for the log. It has no values. */
function reasonOf(drift: Drift): string {
  const { change, kind, name, fields = [] } = drift;
  const shown = fields
    .slice(0, 5)
    .map(({ path, manager }) => `${path}${manager === undefined ? '' : ` by ${manager}`}`);
  return `drift: ${kind} ${name} was ${change}${shown.length === 0 ? '' : `: ${shown.join(', ')}`}`;
}

interface Correction {
  drift: Drift;
  /** Whether the API server may have got it. */
  isSent: boolean;
}

/**
 * Applies an object that differs. Returns the drift, and why it was not corrected. A write that the
 * signal cuts off gets some time to end, so that it cannot undo what comes next on the release.
 */
async function corrected(
  { item, live, wanted, drift }: Compared & { drift: Drift },
  baseline: Baseline,
  context: OperationContext,
  tools: StepTools,
): Promise<Correction> {
  if (drift.change === 'unknown') return { drift, isSent: false };
  const { owner, settings } = baseline;
  const options = { migrate: settings.method === 'ssa', mergesCustomResources: true };
  const cluster = certainWrites(context.cluster, context.abandon);
  const strategy = applyStrategy(settings, { ...tools, cluster }, options);
  let isSent = false;
  try {
    if (live !== undefined) requireNoOtherOwner(live, item.ref, owner);
    isSent = true;
    if (live === undefined) await strategy.create(item);
    else await strategy.update({ original: item.object, item: { ...item, object: wanted }, live });
    return { drift: { ...drift, corrected: true }, isSent };
  } catch (error) {
    tools.signal.throwIfAborted();
    return { drift: { ...drift, reason: messageOf(error) }, isSent: isSent && !isRefusal(error) };
  }
}

/** Whether the policy has refused what was to be sent. */
function isRefusal(error: unknown): boolean {
  return error instanceof PolicyError || (error instanceof Error && isRefusal(error.cause));
}

export const operation = operationOf('correct_release', {
  request: (payload) => payload,
  run: correctRelease,
  answer: (answer) => answer,
});
