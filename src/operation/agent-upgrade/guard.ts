import { codeOf, messageOf } from '../../errors/index.ts';
import { isTemporary } from '../../objects/cluster-error.ts';
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

/** Time without an API server that is not counted, in milliseconds. */
const maxBlindTime = 600_000;

/** Looks in a row that may fail for a reason that lasts, such as a right that is missing. */
const maxRefusals = 600;

/**
 * Shortest time for which a new version may be without a leader that is ready, in milliseconds. It
 * is half of the time of the trial if that is longer.
 */
const minUnreadyTime = 60_000;

/** Time for the pods of the version before to be back, in milliseconds. */
const settleTime = 60_000;

/** Time for which the guardian tries to deploy the version before again, in milliseconds. */
const returnTime = 600_000;

/** Pauses after failed attempts, in milliseconds. The last one repeats. */
const pauses = [500, 1000, 2000, 5000];

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
      await save(await upgraded(guarded, () => holder.stored.trial, saveOperation));
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
        await save({ ...withoutOperation(current()), phase: 'ended', stuck: messageOf(error) });
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

/** Whether the API server, or the lease, may be back soon. */
function isPassing(error: unknown): boolean {
  return isTemporary(error) || codeOf(error) === 'lease_lost';
}

function withoutOperation({ operation: _, ...trial }: Trial): Trial {
  return trial;
}

function returning({ deadline: _, ...trial }: Trial, failure: NonNullable<Trial['failure']>): Trial {
  return { ...trial, phase: 'returning', failure };
}

/**
 * Returns the trial after its upgrade, which may have failed. One that the API server has ended
 * before anything was stored is attempted again, while there is time.
 */
async function upgraded(guarded: Guarded, current: () => Trial, save: SaveOperation): Promise<Trial> {
  return await persist(guarded, async (): Promise<Trial> => {
    const trial = current();
    try {
      const revision = await guarded.upgrade(trial, operationOfTrial(trial), save);
      return { ...withoutOperation(trial), phase: 'watching', revision };
    } catch (error) {
      guarded.signal.throwIfAborted();
      if (error instanceof TrialChangedError) throw error;
      const isLate = guarded.now() >= (trial.deadline ?? 0);
      if (isPassing(error) && !isLate && operationOfTrial(current()) === undefined) {
        guarded.onProblem('cannot begin the upgrade', { reason: messageOf(error) });
        throw new RepeatError(messageOf(error), { cause: error });
      }
      return returning(withoutOperation(trial), { code: codeOf(error) ?? 'internal', message: messageOf(error) });
    }
  });
}

/**
 * Watches the new version until it has worked without a break for the time of the trial, or until
 * it is certain or late enough that it will not.
 */
async function watched(guarded: Guarded, trial: Trial): Promise<Trial> {
  const { settle } = trial;
  const unreadyTime = Math.max(minUnreadyTime, trial.timeout / 2);
  const busyTime = trial.timeout / 4;
  const begun = guarded.now();
  // the time without a guardian does not count
  let deadline = Math.max(trial.deadline ?? 0, begun + minUnreadyTime);
  let since: { run: string; time: number } | undefined;
  let unreadySince: number | undefined;
  let lastLook = begun;
  let blindTime = 0;
  let isBlind = false;
  let refusals = 0;
  const failed = (message: string): Trial => returning(trial, { code: 'agent_upgrade_failed', message });
  for (;;) {
    const { seen, refusal } = await look(guarded, trial);
    const time = guarded.now();
    if (seen === undefined) {
      if (refusal !== undefined && ++refusals >= maxRefusals) return failed(`cannot look at the agent: ${refusal}`);
      isBlind = true;
      await guarded.pause(interval);
      continue;
    }
    refusals = 0;
    // time without responses of the API server counts neither for the version nor against it
    const blind = isBlind ? Math.min(time - lastLook, maxBlindTime - blindTime) : 0;
    isBlind = false;
    lastLook = time;
    blindTime += blind;
    deadline += blind;
    if (since !== undefined) since.time += blind;
    if (unreadySince !== undefined) unreadySince += blind;

    const leader = seen.isRolledOut && seen.leader?.isReady === true ? seen.leader : undefined;
    if (leader === undefined) since = undefined;
    else if (since?.run !== leader.run) since = { run: leader.run, time };
    // a pod that stops may lead for some time, which is not the fault of the new version
    const isUnready = seen.isRolledOut && leader === undefined && seen.stopping === undefined;
    unreadySince = isUnready ? (unreadySince ?? time) : undefined;
    if (seen.problem !== undefined) return failed(seen.problem);
    if (leader !== undefined && since !== undefined && time - since.time >= settle) {
      return { ...trial, phase: 'ended', leader: { pod: leader.pod, image: leader.image } };
    }
    // a machine that is busy starts a good version late, and a connection may be lost for a while
    const last = seen.isRunning === true ? deadline + busyTime : deadline;
    const isLate =
      (unreadySince !== undefined && time - unreadySince >= unreadyTime) ||
      // one that works when its time is over still gets the rest of the time to prove it
      (time >= last && (since === undefined || since.time > last));
    if (isLate) {
      const reason = seen.waitsFor ?? 'it does not stay the same';
      return failed(`it has not proved itself within ${Math.round((time - begun) / 1000)} s: ${reason}`);
    }
    await guarded.pause(interval);
  }
}

/** Waits for the pods of the version before, for a limited time. */
async function settled(guarded: Guarded, trial: Trial): Promise<void> {
  const { deadline = guarded.now() } = trial;
  while (guarded.now() < deadline) {
    const { seen } = await look(guarded, trial);
    if (seen?.isRolledOut === true && seen.leader !== undefined) return;
    await guarded.pause(interval);
  }
}

/** A look at the agent. One that fails says nothing about the agent. */
interface Look {
  seen?: Candidate;
  /** Why it has failed, unless the API server may respond soon. */
  refusal?: string;
}

async function look(guarded: Guarded, trial: Trial): Promise<Look> {
  try {
    return { seen: await guarded.look(trial) };
  } catch (error) {
    guarded.signal.throwIfAborted();
    const reason = messageOf(error);
    guarded.onProblem('cannot look at the agent', { reason });
    return isTemporary(error) ? {} : { refusal: reason };
  }
}
