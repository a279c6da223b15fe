import { codeOf, messageOf } from '../../errors/index.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { Candidate } from './candidate.ts';
import {
  operationOfTrial,
  type StoredTrial,
  type Trial,
  TrialChangedError,
  type TrialStore,
  withOperation,
} from './trial.ts';

/** The means of a guardian. */
export interface Guarded {
  store: TrialStore;
  /**
   * Performs the plan of the trial, or continues it from a state. Does not wait for pods. Returns
   * the new revision.
   */
  upgrade(trial: Trial, state: OperationState | undefined, save: SaveOperation): Promise<number>;
  /**
   * Deploys the revision before again, or continues that from a state. Returns the revision that is
   * deployed, which is that one itself if nothing was changed.
   */
  goBack(trial: Trial, state: OperationState | undefined, save: SaveOperation): Promise<number>;
  look(trial: Trial): Promise<Candidate>;
  /** Aborts when this guardian is to stop. The trial stays as it is then. */
  signal: AbortSignal;
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  /** Rejects when {@link signal} aborts. */
  pause(milliseconds: number): Promise<void>;
  onProblem(message: string, fields: object): void;
}

type SaveOperation = (state: OperationState) => Promise<void>;

/** Interval between two looks at the agent, in milliseconds. */
const interval = 1000;

/** Time for which a new version may be without a leader that is ready, in milliseconds. */
const unreadyTime = 60_000;

/** Time for the pods of the version before to be back, in milliseconds. */
const settleTime = 60_000;

/** Time for which the guardian tries to deploy the version before again, in milliseconds. */
const returnTime = 600_000;

/** Pauses after failed attempts, in milliseconds. The last one repeats. */
const pauses = [500, 1000, 2000, 5000];

/** Errors of an API server that may soon respond again. */
const passing: ReadonlySet<string> = new Set(['unreachable', 'server_error', 'too_many_requests', 'lease_lost']);

/**
 * Performs the upgrade of an agent, and brings the version before back unless the new one proves
 * itself. Continues a trial that another guardian has left at any point. Returns when the trial has
 * ended, or when another guardian has taken it over.
 */
export async function guard(guarded: Guarded, guardian: string): Promise<'ended' | 'taken-over' | 'no-trial'> {
  const found = await persist(guarded, () => guarded.store.read());
  if (found === undefined) return 'no-trial';
  if (found.trial.phase === 'ended') return 'ended';
  try {
    let stored = await persist(guarded, () => write(guarded, { ...found.trial, guardian }, found.version, guardian));
    while (stored.trial.phase !== 'ended') stored = await nextPhase(guarded, stored, guardian);
    return 'ended';
  } catch (error) {
    if (error instanceof TrialChangedError) return 'taken-over';
    throw error;
  }
}

async function nextPhase(guarded: Guarded, stored: StoredTrial, guardian: string): Promise<StoredTrial> {
  const holder = { stored };
  const save = async (trial: Trial) => {
    const { version } = holder.stored;
    holder.stored = await persist(guarded, () => write(guarded, trial, version, guardian));
  };
  const saveOperation: SaveOperation = (state) => save(withOperation(holder.stored.trial, state));
  const { trial } = stored;
  switch (trial.phase) {
    case 'planned':
      await save({ ...trial, phase: 'upgrading', deadline: guarded.now() + trial.timeout });
      break;
    case 'upgrading':
      await save(await upgraded(guarded, trial, saveOperation));
      break;
    case 'watching':
      await save(await watched(guarded, trial));
      break;
    case 'returning':
      await goBack(guarded, () => holder.stored.trial, save);
      break;
    case 'settling':
      await settled(guarded, trial);
      await save({ ...trial, phase: 'ended' });
      break;
    case 'ended':
      break;
  }
  return holder.stored;
}

/** Deploys the revision before again, and tries that for a limited time. */
async function goBack(guarded: Guarded, current: () => Trial, save: (trial: Trial) => Promise<void>): Promise<void> {
  if (current().deadline === undefined) await save({ ...current(), deadline: guarded.now() + returnTime });
  const saveOperation: SaveOperation = (state) => save(withOperation(current(), state));
  await persist(guarded, async () => {
    const trial = current();
    try {
      const revision = await guarded.goBack(trial, operationOfTrial(trial), saveOperation);
      const deadline = guarded.now() + settleTime;
      await save({ ...withoutOperation(current()), phase: 'settling', revision, deadline });
    } catch (error) {
      guarded.signal.throwIfAborted();
      if (error instanceof TrialChangedError) throw error;
      guarded.onProblem('cannot return to the version before', { reason: messageOf(error) });
      if (guarded.now() >= (trial.deadline ?? 0)) {
        const { code, message } = trial.failure ?? { code: 'internal', message: '' };
        const text = `${message}; the version before could not be deployed again: ${messageOf(error)}`;
        await save({ ...withoutOperation(current()), phase: 'ended', failure: { code, message: text } });
        return;
      }
      // a failed attempt is not continued
      if (!isPassing(error)) await save(withoutOperation(current()));
      throw new RepeatError(messageOf(error), { cause: error });
    }
  });
}

/** The attempt has failed, and another one may succeed. */
class RepeatError extends Error {
  override readonly name = 'RepeatError';
}

/** Repeats an attempt until it succeeds, as no other process can do the work of a guardian. */
async function persist<Result>(guarded: Guarded, attempt: () => Promise<Result>): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RepeatError) && !isPassing(error)) throw error;
      await guarded.pause(pauses[failures] ?? pauses.at(-1) ?? 0);
    }
  }
}

/** Stores a trial. An earlier attempt, whose answer was lost, may have stored it. */
async function write(
  { store }: Guarded,
  trial: Trial,
  version: string | undefined,
  guardian: string,
): Promise<StoredTrial> {
  try {
    return await store.write(trial, version);
  } catch (error) {
    if (!(error instanceof TrialChangedError)) throw error;
    const now = await store.read();
    if (now?.trial.guardian === guardian && JSON.stringify(now.trial) === JSON.stringify(trial)) return now;
    throw error;
  }
}

function isPassing(error: unknown): boolean {
  return passing.has(codeOf(error) ?? '');
}

function withoutOperation({ operation: _, ...trial }: Trial): Trial {
  return trial;
}

function returning({ deadline: _, ...trial }: Trial, failure: NonNullable<Trial['failure']>): Trial {
  return { ...trial, phase: 'returning', failure };
}

/** Returns the trial after its upgrade, which may have failed. */
async function upgraded(guarded: Guarded, trial: Trial, save: SaveOperation): Promise<Trial> {
  const rest = withoutOperation(trial);
  try {
    return { ...rest, phase: 'watching', revision: await guarded.upgrade(trial, operationOfTrial(trial), save) };
  } catch (error) {
    guarded.signal.throwIfAborted();
    if (error instanceof TrialChangedError) throw error;
    return returning(rest, { code: codeOf(error) ?? 'internal', message: messageOf(error) });
  }
}

/**
 * Watches the new version until it has worked without a break for the time of the trial, or until
 * it is certain or late enough that it will not.
 */
async function watched(guarded: Guarded, trial: Trial): Promise<Trial> {
  const { settle } = trial;
  const begun = guarded.now();
  // a guardian that begins late gives the version one chance
  const deadline = Math.max(trial.deadline ?? 0, begun + interval);
  let since: { run: string; time: number } | undefined;
  let unreadySince: number | undefined;
  const failed = (message: string): Trial => returning(trial, { code: 'agent_upgrade_failed', message });
  for (;;) {
    const seen = await look(guarded, trial);
    const time = guarded.now();
    const leader = seen?.isRolledOut === true && seen.leader?.isReady === true ? seen.leader : undefined;
    if (leader === undefined) since = undefined;
    else if (since?.run !== leader.run) since = { run: leader.run, time };
    unreadySince = seen?.isRolledOut === true && leader === undefined ? (unreadySince ?? time) : undefined;
    if (seen?.problem !== undefined) return failed(seen.problem);
    if (leader !== undefined && since !== undefined && time - since.time >= settle) {
      return { ...trial, phase: 'ended', leader: { pod: leader.pod, image: leader.image } };
    }
    const isLate =
      (unreadySince !== undefined && time - unreadySince >= unreadyTime) ||
      // one that works when its time is over still gets the rest of the time to prove it
      (seen !== undefined && time >= deadline && (since === undefined || since.time > deadline));
    if (isLate) {
      const reason = seen?.waitsFor ?? 'it does not stay the same';
      return failed(`it has not proved itself within ${Math.round((time - begun) / 1000)} s: ${reason}`);
    }
    await guarded.pause(interval);
  }
}

/** Waits for the pods of the version before, for a limited time. */
async function settled(guarded: Guarded, trial: Trial): Promise<void> {
  const { deadline = guarded.now() } = trial;
  while (guarded.now() < deadline) {
    const seen = await look(guarded, trial);
    if (seen?.isRolledOut === true && seen.leader !== undefined) return;
    await guarded.pause(interval);
  }
}

/** Returns undefined if the API server does not respond, which says nothing about the agent. */
async function look(guarded: Guarded, trial: Trial): Promise<Candidate | undefined> {
  try {
    return await guarded.look(trial);
  } catch (error) {
    guarded.signal.throwIfAborted();
    guarded.onProblem('cannot look at the agent', { reason: messageOf(error) });
    return undefined;
  }
}
