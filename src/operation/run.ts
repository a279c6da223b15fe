import { cancelModeOf } from './cancellation.ts';
import type { OperationContext } from './context.ts';
import { OperationError, withPrefix } from './error.ts';
import { withRedaction } from './evidence/redacted-reports.ts';
import { redactionOfWork } from './evidence/work-redaction.ts';
import type { Progress, StepName } from './progress.ts';
import { deadlineAfter, type Timed, timeLeft } from './state/deadline.ts';
import { type Failure, type OperationState, phaseEnd, type Verb } from './state/operation-state.ts';
import { recordedError } from './state/recorded-error.ts';
import { releaseHold } from './steps/release-hold.ts';
import type { Phase, Step, VerbTable, VerbTables } from './steps/step.ts';
import { type StepRunner, stepRunner, type StepTools } from './steps/step-runner.ts';
import { cancellation, type TimeLimit, timeLimit } from './time-limit.ts';
import type { Work } from './work.ts';

const never = new AbortController().signal;

interface Limited extends Timed {
  /** Time limits of steps, in milliseconds. */
  stepTimeouts?: Readonly<Partial<Record<StepName, number>>>;
}

/** Returns the state of an operation before its first step. */
export function initialState(
  { host, id = '', queued }: OperationContext,
  verb: Verb,
  request: Limited & { namespace: string; releaseName: string },
): OperationState {
  const { namespace, releaseName } = request;
  const deadline = deadlineAfter(host, request, queued);
  return { format: 1, id, verb, namespace, releaseName, phase: 'main', step: 'history', deadline };
}

/**
 * Runs an operation from any state to its end, and returns its outcome or throws its error. Saves
 * the state after each step. If `context.abandon` aborts, throws at once and leaves everything as
 * it is, so that the operation can be continued from the last state that was saved.
 */
export async function runOperation<Request extends Limited, Outcome>(
  work: Work<Request>,
  initial: OperationState,
  tables: VerbTables<Request, Outcome>,
): Promise<Outcome> {
  let state = initial;
  while (!hasEnded(state)) state = await runPhase(work, state, tableOf(tables, state));
  await releaseHold(state, work);
  return await tableOf(tables, state).outcome(state, work);
}

function tableOf<Request, Outcome>(
  tables: VerbTables<Request, Outcome>,
  { verb }: OperationState,
): VerbTable<Request, Outcome> {
  const table = tables[verb];
  if (table === undefined) throw new Error(`the request is not one of ${verb}`);
  return table;
}

function hasEnded({ step, undo }: OperationState): boolean {
  return step === phaseEnd && (undo === undefined || undo.remaining.length === 0);
}

/** The state in which a phase has stopped, and its error if it has failed. */
interface PhaseStop {
  state: OperationState;
  failure?: { step: string; error: unknown };
}

/** Runs the steps of the present phase that are left, and returns the state before the next one. */
async function runPhase<Request extends Limited>(
  work: Work<Request>,
  given: OperationState,
  table: VerbTable<Request, unknown>,
): Promise<OperationState> {
  const { context, request, cache } = work;
  const state = given.step === phaseEnd ? nextPhase(given, table) : given;
  const phase = phaseOf(table, state);
  const timed = withDeadline(context, request, phase, state);
  const limit = limitOf(context, phase, timed);
  let stop: PhaseStop | undefined;
  try {
    stop = await runSteps(work, timed, phase, limit.signal);
  } finally {
    limit.close();
  }
  const next = afterPhase(withCancelMode(stop, context), table, request);
  if (stop.failure && stop.state.phase === 'main') cache.error = stop.failure.error;
  // a failure that is forgotten would be met again after a part of the undoing
  await save(context, next, stop.failure !== undefined && !hasEnded(next));
  return next;
}

/** Notes how the operation was cancelled, if it was. */
function withCancelMode(stop: PhaseStop, { signal }: OperationContext): PhaseStop {
  const mode = cancelModeOf(signal);
  if (!stop.failure || !signal.aborted || mode === 'undo') return stop;
  return { ...stop, state: { ...stop.state, cancelMode: mode } };
}

function phaseOf<Request>({ phases }: VerbTable<Request, unknown>, { verb, phase: name }: OperationState) {
  const phase = phases[name];
  if (phase === undefined) throw new Error(`${verb} has no phase ${name}`);
  return phase;
}

function nextPhase<Request>(state: OperationState, table: VerbTable<Request, unknown>): OperationState {
  const { remaining = [], ended = [] } = state.undo ?? {};
  const [name, ...rest] = remaining;
  if (name === undefined) throw new Error('the operation has ended');
  const next = { ...state, phase: name, undo: { remaining: rest, ended } };
  return { ...next, step: phaseOf(table, next).steps[0]?.id ?? phaseEnd };
}

/** Adds the result of a phase, and the phases that follow its failure. */
function afterPhase<Request>(
  { state, failure: stopped }: PhaseStop,
  table: VerbTable<Request, unknown>,
  request: Request,
): OperationState {
  const { phase, undo } = state;
  const failure: Failure | undefined = stopped && { step: stopped.step, error: recordedError(stopped.error) };
  if (phase === 'main') {
    if (failure === undefined) return state;
    const failed = { ...state, step: phaseEnd, failure };
    return { ...failed, undo: { remaining: table.undo(failed, request), ended: [] } };
  }
  const { remaining = [], ended = [] } = undo ?? {};
  if (failure === undefined) return { ...state, undo: { remaining, ended: [...ended, { phase }] } };
  const failed = { ...state, step: phaseEnd, undo: { remaining, ended: [...ended, { phase, failure }] } };
  return { ...failed, undo: { ...failed.undo, remaining: table.undo(failed, request) } };
}

/** Starts the time limit of a phase that has its own. */
function withDeadline<Request extends Limited>(
  { host }: OperationContext,
  request: Request,
  phase: Phase<Request>,
  state: OperationState,
): OperationState {
  if (phase.limit !== 'own' || state.undo?.deadline !== undefined) return state;
  const { remaining = [], ended = [] } = state.undo ?? {};
  return { ...state, undo: { remaining, ended, deadline: deadlineAfter(host, request) } };
}

function limitOf<Request>(context: OperationContext, phase: Phase<Request>, state: OperationState): TimeLimit {
  const { signal, abandon, startTimer, host } = context;
  if (phase.limit === 'none') return { signal: abandon ?? never, close: () => undefined };
  const isMain = phase.limit === 'operation';
  const deadline = isMain ? state.deadline : (state.undo?.deadline ?? state.deadline);
  return timeLimit(deadline.timeout, isMain ? [signal, abandon] : [abandon], startTimer, timeLeft(host, deadline));
}

/** Runs the steps of a phase. Reports them as parts of one step if the phase is a group. */
async function runSteps<Request extends Limited>(
  work: Work<Request>,
  state: OperationState,
  phase: Phase<Request>,
  signal: AbortSignal,
): Promise<PhaseStop> {
  const { host, progress, abandon } = work.context;
  const runner = stepRunner(signal, host, progress);
  const { group } = phase;
  if (group === undefined) return await runEachStep(work, state, phase, runner);
  let stop: PhaseStop | undefined;
  try {
    await runner.step(group, async (tools) => {
      const nested = stepRunner(signal, host, (item) => {
        reportNested(tools, item);
      });
      stop = await runEachStep(work, state, phase, nested);
      if (stop.failure) throw stop.failure.error;
    });
  } catch (error) {
    if (abandon?.aborted === true) throw error;
    stop ??= { state, failure: { step: state.step, error } };
  }
  return stop ?? { state };
}

function reportNested(tools: StepTools, { step, state, message, resources, evidence, log }: Progress): void {
  if (state === 'skipped' || (state === 'done' && message === undefined)) return;
  tools.report({
    message: message === undefined ? step : `${step}: ${message}`,
    ...(resources && { resources }),
    ...(evidence && { evidence }),
    ...(log && { log }),
  });
}

/** Stops at the end of the phase, at a failure, or if a step has changed the verb. */
async function runEachStep<Request extends Limited>(
  work: Work<Request>,
  initial: OperationState,
  phase: Phase<Request>,
  runner: StepRunner,
): Promise<PhaseStop> {
  let state = initial;
  let previous = '';
  let { problems } = initial;
  while (state.step !== phaseEnd && state.verb === initial.verb) {
    const step = stepOf(phase, state);
    const result = await runStep(work, state, step, { runner, timeout: timeoutOf(step, phase, work.request) });
    if ('error' in result) {
      return { state: result.state, failure: { step: result.isStarted ? step.id : previous, error: result.error } };
    }
    previous = step.id;
    state = result.state.step === step.id ? { ...result.state, step: stepAfter(phase, step) } : result.state;
    const isNeeded = isNeededBefore(phase, state) || state.problems !== problems;
    problems = state.problems;
    if (state.step !== phaseEnd) await save(work.context, state, isNeeded);
  }
  const problem = state.step === phaseEnd ? phase.conclude?.(state) : undefined;
  return problem === undefined ? { state } : { state, failure: { step: previous, error: problem } };
}

function stepOf<Request>({ steps }: Phase<Request>, { verb, phase, step: id }: OperationState): Step<Request> {
  const step = steps.find((other) => other.id === id);
  if (step === undefined) throw new Error(`phase ${phase} of ${verb} has no step ${id}`);
  return step;
}

/** Whether the next step removes what the steps before it would be found again by. */
function isNeededBefore<Request>(phase: Phase<Request>, state: OperationState): boolean {
  return phase.steps.find(({ id }) => id === state.step)?.isSavedBefore === true;
}

function stepAfter<Request>({ steps }: Phase<Request>, step: Step<Request>): string {
  return steps[steps.indexOf(step) + 1]?.id ?? phaseEnd;
}

interface StepResult {
  state: OperationState;
  isStarted: boolean;
  error?: unknown;
}

/** Returns the own time limit of a step. Undoing an operation has none for its steps. */
function timeoutOf<Request extends Limited>(
  { name, isUnlimited = false }: Step<Request>,
  { limit }: Phase<Request>,
  { stepTimeouts }: Request,
): number | undefined {
  return name === undefined || isUnlimited || limit !== 'operation' ? undefined : stepTimeouts?.[name];
}

async function runStep<Request>(
  work: Work<Request>,
  state: OperationState,
  step: Step<Request>,
  { runner, timeout }: { runner: StepRunner; timeout: number | undefined },
): Promise<StepResult> {
  const { context } = work;
  const { signal } = runner;
  const reached = { state, isStarted: false };
  const redaction = redactionOfWork(() => reached.state, work);
  const limit = timeout === undefined ? undefined : timeLimit(timeout, [signal], context.startTimer);
  const ownSignal = step.isUnlimited === true ? (context.abandon ?? never) : limit?.signal;
  const ownRunner = ownSignal === undefined ? runner : runner.withSignal(ownSignal);
  try {
    reached.state = await ownRunner.step(step.name, (tools) => {
      reached.isStarted = true;
      return withRedaction(tools, redaction, context.abandon, (redacting) =>
        step.run(state, work, {
          ...redacting,
          keep(changed) {
            reached.state = changed;
          },
          save(changed, isNeeded = true) {
            reached.state = changed;
            return save(context, changed, isNeeded);
          },
        }),
      );
    });
    if (step.isDecisive === true) signal.throwIfAborted();
    return reached;
  } catch (caught) {
    if (context.abandon?.aborted === true) throw caught;
    const isOwnTimeout = limit?.signal.aborted === true && !signal.aborted;
    const error = isOwnTimeout ? withPrefix(`step ${step.id}`, caught) : caught;
    if (step.isTolerant !== true || isCancelled(signal)) return { ...reached, error };
    // a deadline that has ended an earlier step is one problem
    const isKnown = !reached.isStarted && (reached.state.problems ?? []).length > 0;
    return { ...reached, state: isKnown ? reached.state : withProblem(reached.state, error) };
  } finally {
    limit?.close();
  }
}

function withProblem(state: OperationState, error: unknown): OperationState {
  return { ...state, problems: [...(state.problems ?? []), recordedError(error)] };
}

function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof OperationError && reason.code === 'timeout');
}

async function save(
  { checkpoints, abandon }: OperationContext,
  state: OperationState,
  isNeeded: boolean,
): Promise<void> {
  await checkpoints?.save(state, isNeeded);
  if (abandon?.aborted === true) throw cancellation(abandon);
}
