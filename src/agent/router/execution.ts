import { setTimeout as sleep } from 'node:timers/promises';
import { isJournalLost, type Journal, type UnfinishedCommand } from '../../journal/index.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { TakeTurn } from '../../operation/context.ts';
import { OperationError } from '../../operation/error.ts';
import type { Checkpoints } from '../../operation/state/checkpoints.ts';
import { durationText } from '../../operation/time-limit.ts';
import type { CommandPolicy } from '../../policy/command-policy.ts';
import { withLoggedApprovals } from '../../policy/plan-approvals.ts';
import type { Policy } from '../../policy/policy-file.ts';
import type { PolicyScope } from '../../policy/policy-scope.ts';
import type { Result } from '../../protocol/messages.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import type { CommandScope } from '../../rights/command-selector.ts';
import type { Rights } from '../../rights/rights-file.ts';
import type { SignatureUse, UsedSignatures } from '../../signatures/used-signatures.ts';
import type { CommandContext } from '../commands/command-handler.ts';
import type { Logger } from '../logger.ts';
import type { CommandMeasure, CommandMeasures } from './command-measures.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';
import { failureFields, stackWithoutMessage } from './failure-log.ts';
import type { IncomingCommand } from './incoming-command.ts';
import { Probation } from './probation.ts';
import type { QueueOptions, ReleaseQueues, Slot } from './release-queues.ts';
import type { RunningCommand } from './running-command.ts';
import { shortenAnswer } from './shorten.ts';

/** A command that was admitted. */
export interface Job {
  running: RunningCommand;
  /** The key in the journal. */
  key: string;
  /** Whether its sender has no key to ask for the result again. */
  isAnonymous: boolean;
  form: WireForm;
  /** Called once the command is journaled. */
  onAccepted?: () => void;
  /** Set if another process has accepted the command. */
  left?: Pick<UnfinishedCommand, 'state' | 'isSuspect' | 'account'> & { isAlone: boolean };
  /** The service account that performs it. Undefined until it is found, and for the agent. */
  account?: ServiceAccount | undefined;
}

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
  /** As in `RouterOptions`. */
  rights: Rights | undefined;
  /** As in `RouterOptions`. */
  policy: Policy | undefined;
  agentId: string;
  usedSignatures: UsedSignatures;
}

/** The slot of a command that only reads, which does not count. */
const noSlot: Slot = { whileWaiting: (wait) => wait() };

/** As which service account a command runs, or why it may not. */
interface Identity {
  /** Undefined for the agent itself. */
  account?: ServiceAccount;
  /** Undefined without a policy. */
  policy?: CommandPolicy | undefined;
  refusal?: Error;
}

/** Errors that end when the owner corrects a file. */
const ownerFileCodes: ReadonlySet<string> = new Set(['rights_file_invalid', 'policy_invalid']);

/** Pause before a file of the owner that was wrong is read again, in milliseconds. */
const ownerFilePauseMs = 1000;

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
  readonly #rights: Rights | undefined;
  readonly #policy: Policy | undefined;
  readonly #agentId: string;
  readonly #usedSignatures: UsedSignatures;

  constructor(options: ExecutionOptions) {
    const { journal, queues, log, now, measures, cancel, probationMs, rights, policy } = options;
    this.#agentId = options.agentId;
    this.#usedSignatures = options.usedSignatures;
    this.#measures = measures;
    this.#rights = rights;
    this.#policy = policy;
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
    // without these files, nothing is awaited: commands are journaled in the order of their arrival
    const isOwn = this.#rights === undefined && this.#policy === undefined;
    const identity = isOwn ? ownIdentity(left) : await this.#identityOf(job);
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

  /** Finds as whom a command runs, if it may. Waits for correct files if the command has begun. */
  async #identityOf(job: Job): Promise<Identity> {
    const { running, left } = job;
    if (running.command.type === 'cancel_command') return {}; // sends nothing to the cluster
    const signal = AbortSignal.any([running.cancellation.signal, running.abandonment.signal]);
    for (let attempt = 0; ; attempt++) {
      try {
        const policy = await this.#policyOf(job);
        const use = signatureUse(running.command, policy);
        if (use !== undefined && left === undefined) await this.#usedSignatures.requireUnused(use);
        return { ...(await this.#accountOf(job)), policy };
      } catch (error) {
        const refusal = error instanceof Error ? error : new Error(String(error));
        if (left === undefined || !ownerFileCodes.has(failureOf(error).code)) return { refusal };
        if (attempt === 0) {
          this.#logOf(job).warn({ reason: refusal.message }, 'cannot continue a command yet');
        }
        try {
          await sleep(ownerFilePauseMs, undefined, { signal });
        } catch {
          return { refusal };
        }
      }
    }
  }

  async #accountOf({ running, left }: Job): Promise<Identity> {
    if (running.command.asAgent) return {};
    if (this.#rights === undefined) return ownIdentity(left);
    const scope = scopeOf(running.command);
    const account = await (left === undefined
      ? this.#rights.accountFor(scope)
      : this.#rights.accountToContinue(left.account, scope));
    return { account };
  }

  /** Returns what the owner of the cluster allows a command now. Rejects with `PolicyError`. */
  async #policyOf({ running, left }: Job): Promise<CommandPolicy | undefined> {
    const { chart, changes, key, type, payload: text, fields: payload, envelope } = running.command;
    const packet = { agentId: this.#agentId, key, type, payload: text, envelope };
    const scope: PolicyScope = { ...scopeOf(running.command), changes: changes !== undefined, chart, payload, packet };
    return await this.#policy?.decide(scope, left === undefined ? 'begins' : 'continued');
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

  async #perform(job: Job, { account, policy: admitted, refusal }: Identity, afterwards: Afterwards): Promise<Result> {
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
        takeTurn: (turn, change) => this.#takeTurn(running, turn, log, change),
      });
    const start = async (slot: Slot) => {
      measure.run();
      // the policy may have changed while the command waited for its turn
      if (left === undefined) return await perform(slot, admitted && (await this.#policyOf(job)));
      return await this.#continue(job, slot, log, () => perform(slot, admitted));
    };
    log.info({}, left === undefined ? 'command accepted' : 'command resumed');
    try {
      if (refusal !== undefined) throw refusal;
      const use = signatureUse(command, admitted);
      if (use !== undefined) await this.#usedSignatures.note(use, left !== undefined);
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
    start: (slot: Slot) => Promise<Result>,
  ) {
    const limit = queueLimit(running.command.timeout);
    const signal = AbortSignal.any([running.cancellation.signal, running.abandonment.signal, limit.signal]);
    // an earlier process has let it wait
    const ifBusy = left === undefined ? running.command.ifBusy : 'queue';
    try {
      const onWait = () => measure.queue();
      return await this.#queued(running, release, { signal, ifBusy, onWait }, (slot) => {
        limit.close();
        return start(slot);
      });
    } finally {
      limit.close();
    }
  }

  /** Makes a change of a release for a command with another key, when it is its turn. */
  async #takeTurn<Result>(
    running: RunningCommand,
    { release, reason, signal }: Parameters<TakeTurn>[0],
    log: Logger,
    change: () => Promise<Result>,
  ): Promise<Result> {
    return await this.#queued(running, release, { signal, ifBusy: 'queue' }, () => {
      log.info({ changes: release, reason }, 'the command changes a release');
      return change();
    });
  }

  /** Runs a function when it is its turn on a release, and says so if the command has to wait. */
  async #queued<Result>(
    running: RunningCommand,
    release: string,
    { onWait, ...options }: Omit<QueueOptions, 'onPosition'> & { onWait?: () => void },
    start: (slot: Slot) => Promise<Result>,
  ): Promise<Result> {
    let hasWaited = false;
    const onPosition = (position: number) => {
      hasWaited = true;
      onWait?.();
      running.queued(position, this.#now());
    };
    return await this.#queues.run(release, { ...options, onPosition }, (slot) => {
      if (hasWaited) running.queued(undefined, this.#now());
      return start(slot);
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

/** Returns the identity of a command of an agent without rights file: the agent itself. */
function scopeOf({ type, right, target, sentBy }: IncomingCommand): CommandScope {
  return { type, right, ...target, sentBy };
}

/** Returns how a command uses its signature, unless it only reads. */
function signatureUse(
  { key, right, changes }: IncomingCommand,
  policy: CommandPolicy | undefined,
): SignatureUse | undefined {
  if (policy?.signature === undefined || key === undefined || (right === 'read' && changes === undefined))
    return undefined;
  const { issuedAt, expiresAt } = policy.signature;
  return { release: changes, key, issuedAt, expiresAt };
}

function ownIdentity(left: Job['left']): Identity {
  if (left?.account === undefined) return {};
  const message = `the command was accepted to run as the service account ${left.account}, and the agent has no rights file now; it was not continued, and the release is left as it is; start the agent with --rights-file`;
  return { refusal: new CommandError('forbidden', message) };
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
