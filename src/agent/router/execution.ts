import { setTimeout as sleep } from 'node:timers/promises';
import { isJournalLost, type Journal } from '../../journal/index.ts';
import type { Turn } from '../../operation/context.ts';
import { OperationError } from '../../operation/error.ts';
import type { Checkpoints } from '../../operation/state/checkpoints.ts';
import { durationText } from '../../operation/time-limit.ts';
import type { CommandPolicy } from '../../policy/command-policy.ts';
import { withLoggedApprovals } from '../../policy/plan-approvals.ts';
import type { Result } from '../../protocol/messages.ts';
import type { CommandContext } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import type { Authorization, Identity } from './authorization.ts';
import type { CommandMeasure, CommandMeasures } from './command-measures.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';
import { failureFields, stackWithoutMessage } from './failure-log.ts';
import type { IncomingCommand } from './incoming-command.ts';
import type { Job } from './job.ts';
import { Probation } from './probation.ts';
import type { QueueOptions, ReleaseQueues, Slot } from './release-queues.ts';
import type { RunningCommand } from './running-command.ts';
import { shortenAnswer } from './shorten.ts';

type Afterwards = (() => Promise<void>)[];

export interface ExecutionOptions {
  journal: Journal;
  queues: ReleaseQueues;
  log: Logger;
  now: () => Date;
  measures: CommandMeasures;
  /** Cancels the command with a key. Returns whether there is one. */
  cancel: CommandContext['cancel'];
  /** As in `RouterOptions`. */
  probationMs: number;
  authorization: Authorization;
}

/** The slot of a command that only reads, which does not count. */
const noSlot: Slot = { whileWaiting: (wait) => wait() };

/** Age at which the policy decides again when a command begins, in milliseconds. */
const maxDecisionAgeMs = 1000;

interface DecidedIdentity extends Identity {
  /** When the decision began. */
  decidedAt: number;
}

/** Time for which a result waits to be journaled before it is sent anyway. */
const outcomeDelayMs = 5000;

/** Journals commands and performs them. */
export class Execution {
  readonly #journal: Journal;
  readonly #queues: ReleaseQueues;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #cancel: CommandContext['cancel'];
  readonly #probation: Probation;
  readonly #measures: CommandMeasures;
  readonly #authorization: Authorization;

  constructor(options: ExecutionOptions) {
    const { journal, queues, log, now, measures, cancel, probationMs, authorization } = options;
    this.#measures = measures;
    this.#authorization = authorization;
    this.#probation = new Probation(probationMs);
    this.#now = now;
    this.#journal = journal;
    this.#queues = queues;
    this.#log = log;
    this.#cancel = cancel;
  }

  /**
   * Runs a command until its result is sent, or until it is parked. Returns the work that is left
   * when its outcome is journaled, if there is any. Neither rejects.
   */
  async run(job: Job): Promise<(() => Promise<void>) | undefined> {
    const { running } = job;
    const afterwards: Afterwards = [];
    try {
      const outcome = await this.#outcome(job, afterwards);
      if (outcome !== undefined) running.end(outcome);
      return afterwards.length === 0 ? undefined : () => this.#runAfterwards(job, afterwards);
    } catch (error) {
      // the journal may have it, so that another process continues it
      if (running.isParked) return undefined;
      logFailure(this.#logOf(job), error);
      running.end(running.seal({ ok: false, error: failureOf(error) }));
      return undefined;
    }
  }

  /** Lines of a command that are written while it does not run. */
  #logOf({ key, running, account }: Job): Logger {
    const { type, changes: release } = running.command;
    return this.#log.child({ key, type, release, account });
  }

  async #runAfterwards(job: Job, afterwards: Afterwards): Promise<void> {
    for (const work of afterwards) {
      try {
        await work();
      } catch (error) {
        this.#logOf(job).warn({ code: failureOf(error).code }, 'cannot clean up after a command');
      }
    }
  }

  /**
   * Returns undefined if the command was parked. Adds the work that the command has left for when
   * its outcome is journaled, if it is.
   */
  async #outcome(job: Job, afterwards: Afterwards): Promise<string | undefined> {
    const { running, key, isAnonymous, left } = job;
    const { fingerprint, type, payload, isDurable, traceparent, envelope } = running.command;
    const durable = this.#journal.durable && isDurable;
    // without files of the owner, nothing is awaited: commands are journaled as they arrive
    const decidedAt = this.#now().getTime();
    const identity: DecidedIdentity = {
      ...(this.#authorization.identityWithoutFiles(job) ??
        (await this.#authorization.identityOf(job, () => this.#logOf(job)))),
      decidedAt,
    };
    job.account = identity.account;
    if (left !== undefined) {
      running.accepted({ durable, resumed: true });
    } else if (isAnonymous && !isDurable) {
      if (identity.refusal !== undefined) throw identity.refusal;
      running.accepted({ durable });
      return running.seal(await this.#perform(job, identity, afterwards));
    } else {
      const { account, refusal } = identity;
      const command = { key, fingerprint, type, payload, isDurable, isAnonymous, account, traceparent, envelope };
      const known = await (refusal === undefined ? this.#journal.accept(command) : this.#journal.find(key));
      if (known) {
        requireSameCommand(running.command, known.fingerprint);
        if (known.outcome === undefined)
          throw new CommandError('busy', 'another process of this agent runs the command');
        running.accepted({ durable, repeated: true });
        return known.outcome;
      }
      if (refusal !== undefined) throw refusal;
      running.accepted({ durable });
      job.onAccepted?.();
    }
    const toClean: Afterwards = [];
    const result = await this.#perform(job, identity, toClean);
    if (!result.ok && running.isParked) return undefined;
    const outcome = running.seal(result);
    const isStored = await this.#finish(job, outcome);
    if (isStored) afterwards.push(...toClean);
    // otherwise the process that continues the command finds out that it has ended
    return isStored || !running.isParked ? outcome : undefined;
  }

  /**
   * Journals an outcome, and returns whether it is stored. What has succeeded stays a success if
   * that fails or takes long: it is sent without it.
   */
  async #finish(job: Job, outcome: string): Promise<boolean> {
    const late = new AbortController();
    const stored = this.#journal.finish(job.key, outcome).then(
      () => true,
      (error: unknown) => {
        this.#logOf(job).warn({ code: failureOf(error).code }, 'cannot journal a result');
        return false;
      },
    );
    const isStored = await Promise.race([
      stored,
      sleep(outcomeDelayMs, false, { signal: late.signal }).catch(() => false),
    ]);
    late.abort();
    return isStored;
  }

  async #perform(
    job: Job,
    { account, policy: admitted, refusal, decidedAt }: DecidedIdentity,
    afterwards: Afterwards,
  ): Promise<Result> {
    const { running, form, key, left } = job;
    const { command } = running;
    const { key: id, type, changes: release, sentBy, reason, fingerprint } = command;
    const { signal } = running.cancellation;
    const abandon = running.abandonment.signal;
    const measure = this.#measures.begin(command, { account, isContinued: left !== undefined });
    const { traceId } = measure;
    const rule = admitted?.rule;
    const log = this.#log.child({
      key: id,
      type,
      release,
      sentBy,
      reason,
      account,
      rule,
      traceId,
      signedBy: admitted?.signature?.signers.map(({ name }) => name),
      digest: `sha256:${fingerprint}`,
    });
    const progress: CommandContext['progress'] = (step) => {
      measure.progress(step);
      running.progress(step);
    };
    const checkpoints = this.#checkpointsOf(job, log);
    const accepted = this.#now().getTime();
    const perform = (slot: Slot, policy: CommandPolicy | undefined) =>
      command.perform({
        ...{
          id: key,
          account,
          policy: policy && withLoggedApprovals(policy, (approval) => log.info(approval, 'the plan is approved')),
          checkpoints,
          state: left?.state,
          signal,
          abandon,
          log,
          progress,
          cancel: this.#cancel,
        },
        onJournaled: (work) => afterwards.push(work),
        queued: this.#now().getTime() - accepted,
        whileWaiting: (wait) => slot.whileWaiting(wait),
        takeTurn: (turn, change) => this.#takeTurn(job, turn, log, change),
      });
    const start = async (slot: Slot, hasWaited = false) => {
      measure.run();
      if (left !== undefined) return await this.#continue(job, slot, log, () => perform(slot, admitted));
      const age = this.#now().getTime() - decidedAt;
      const isCurrent = !hasWaited && age >= 0 && age < maxDecisionAgeMs;
      // the policy may have changed while the command waited
      return await perform(slot, isCurrent ? admitted : admitted && (await this.#authorization.policyOf(job)));
    };
    log.info({}, left === undefined ? 'command accepted' : 'command resumed');
    try {
      if (refusal !== undefined) throw refusal;
      await this.#authorization.noteSignature(job, admitted);
      const { changes } = command;
      const answer = await (changes === undefined ? start(noSlot) : this.#inTurn(job, changes, measure, start));
      log.info({}, 'command succeeded');
      measure.end('success');
      return { ok: true, ...(form === 'v1' ? shortenAnswer(answer) : answer) };
    } catch (error) {
      const failure = failureOf(error);
      if (running.isParked) {
        log.info({}, 'command parked');
        measure.end('parked');
      } else {
        logFailure(log, error);
        measure.end(failure.code === 'cancelled' ? 'cancelled' : 'failure', failure.code);
      }
      return { ok: false, error: failure };
    }
  }

  /**
   * Performs a command when it is its turn on its release, and says so if it has to wait. Throws
   * `timeout` if its time is over before.
   */
  async #inTurn<Result>(
    { running, left }: Job,
    release: string,
    measure: CommandMeasure,
    start: (slot: Slot, hasWaited: boolean) => Promise<Result>,
  ) {
    const limit = queueLimit(running.command.timeout);
    const signal = AbortSignal.any([running.cancellation.signal, running.abandonment.signal, limit.signal]);
    // an earlier process has let it wait
    const ifBusy = left === undefined ? running.command.ifBusy : 'queue';
    try {
      const onWait = () => measure.queue();
      return await this.#queued(running, release, { signal, ifBusy, onWait }, (slot, hasWaited) => {
        limit.close();
        return start(slot, hasWaited);
      });
    } finally {
      limit.close();
    }
  }

  /** Makes a change of a release for a command with another key, if the policy still allows it. */
  async #takeTurn<Result>(
    job: Job,
    turn: Turn,
    log: Logger,
    change: (policy: CommandPolicy | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { release, reason, signal } = turn;
    return await this.#queued(job.running, release, { signal, ifBusy: 'queue' }, async () => {
      const policy = await this.#authorization.policyInTurn(job, turn, () => log);
      log.info({ changes: release, reason }, 'the command changes a release');
      return await change(policy);
    });
  }

  /** Runs a function when it is its turn on a release, and says so if the command has to wait. */
  async #queued<Result>(
    running: RunningCommand,
    release: string,
    { onWait, ...options }: Omit<QueueOptions, 'onPosition'> & { onWait?: () => void },
    start: (slot: Slot, hasWaited: boolean) => Promise<Result>,
  ): Promise<Result> {
    let hasWaited = false;
    const onPosition = (position: number) => {
      hasWaited = true;
      onWait?.();
      running.queued(position, this.#now());
    };
    return await this.#queues.run(release, { ...options, onPosition }, (slot) => {
      if (hasWaited) running.queued(undefined, this.#now());
      return start(slot, hasWaited);
    });
  }

  /**
   * Continues a command of an earlier process, alone if it may have ended that. The journal knows
   * that it is continued, in case it ends this process, too.
   */
  async #continue<Result>(
    { running, key, left }: Job,
    slot: Slot,
    log: Logger,
    perform: () => Promise<Result>,
  ): Promise<Result> {
    const abandon = running.abandonment.signal;
    const { isSuspect = false, isAlone = true } = left ?? {};
    const next = async () => {
      abandon.throwIfAborted();
      await this.#save(running, log, () => this.#journal.continuing(key, isSuspect || isAlone));
      abandon.throwIfAborted();
    };
    if (!isSuspect) {
      await next();
      return await perform();
    }
    log.warn({}, 'a process has ended while it continued the command');
    const signal = AbortSignal.any([running.cancellation.signal, abandon]);
    const turn = await slot.whileWaiting(() => this.#probation.turn(signal));
    try {
      await next();
      return await perform();
    } finally {
      turn.end();
    }
  }

  /** A state that cannot be saved ends nothing, unless another process runs the command now. */
  #checkpointsOf({ running, key }: Job, log: Logger): Checkpoints {
    const journal = this.#journal;
    const isDurable = journal.durable && running.command.isDurable;
    return {
      save: async (state, isNeeded) => {
        if (!isNeeded || !isDurable) return;
        await this.#save(running, log, () => journal.save(key, state));
      },
    };
  }

  async #save(running: RunningCommand, log: Logger, save: () => Promise<void>): Promise<void> {
    try {
      await save();
    } catch (error) {
      if (isJournalLost(error)) running.park(new CommandError('cancelled', 'another process runs the command'));
      else log.warn({ code: failureOf(error).code }, 'cannot journal the state of an operation');
    }
  }
}

function logFailure(log: Logger, error: unknown): void {
  const failure = failureOf(error);
  const fields = failureFields(failure, error);
  if (failure.code !== 'internal') log.warn(fields, 'command failed');
  else log.error({ ...fields, stack: stackWithoutMessage(error) }, 'command failed: a defect');
}

/** Returns a signal that aborts with `timeout`, unless it is closed before. */
function queueLimit(timeout: number | undefined): { signal: AbortSignal; close: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  if (timeout === undefined) return { signal, close: () => undefined };
  const text = `timed out after ${durationText(timeout)}: the command was still waiting for its turn, and has changed nothing`;
  const timer = setTimeout(() => controller.abort(new OperationError('timeout', text)), timeout);
  return { signal, close: () => clearTimeout(timer) };
}

/** Throws `CommandError` `key_reused` unless the command has the fingerprint. */
export function requireSameCommand(command: IncomingCommand, fingerprint: string): void {
  if (command.fingerprint === fingerprint) return;
  throw new CommandError('key_reused', `the key ${command.key ?? ''} already names another command; use a new one`);
}
