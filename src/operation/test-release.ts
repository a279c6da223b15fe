import { messageOf } from '../errors/index.ts';
import type { Hook } from '../release/hook.ts';
import type { Release } from '../release/release.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { redactionOfWork } from './evidence/work-redaction.ts';
import { notStoredText, throwFailure } from './failure-message.ts';
import { publicRelease } from './release-answer.ts';
import type { TestRequest } from './request.ts';
import { initialState, runOperation } from './run.ts';
import { type OperationState, revisionOf, revisionState } from './state/operation-state.ts';
import type { RecordedError } from './state/recorded-error.ts';
import { placedHooks, runHooks } from './steps/hooks/run-hooks.ts';
import { readTestLogs, type TestLog } from './steps/hooks/test-logs.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { requireAccessTo } from './steps/needed-access.ts';
import { recordTimeout, updateRevision } from './steps/revisions.ts';
import type { StateTools, Step, VerbTable } from './steps/step.ts';
import { requireTrusted } from './steps/trust.ts';
import { timeLimit } from './time-limit.ts';
import { newWork, ownRevision, readHistory, type Work } from './work.ts';

type TestWork = Work<TestRequest>;

export interface Tested {
  /** The revision with the runs of its tests. */
  release: Release;
  /** The failure of a test, which ended the run. Undefined if all tests have passed. */
  failure?: RecordedError;
  /** The logs, if the request asks for them. */
  logs?: readonly TestLog[];
}

const finishStep: Step<TestRequest> = { id: 'finish', isUnlimited: true, run: finish };

/** The steps of {@link testRelease}. The runs of the tests are stored however it ends. */
export const testTable: VerbTable<TestRequest, Tested> = {
  phases: {
    main: {
      limit: 'operation',
      steps: [{ id: 'history', run: start }, { id: 'test', name: 'test', isTolerant: true, run: runTests }, finishStep],
    },
    fail: { limit: 'none', steps: [finishStep] },
  },
  undo: ({ phase, failure }) => (phase === 'main' && failure?.step === 'test' ? ['fail'] : []),
  outcome,
};

/**
 * Runs the tests of the newest revision of a release, until one fails
 * (pkg/action/release_testing.go). A test that fails is part of the result.
 */
export async function testRelease(context: OperationContext, request: TestRequest): Promise<Tested> {
  const { releaseName, namespace } = request;
  checkReleaseName(releaseName, () => `releaseTest: Release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  return await runOperation(newWork(context, request), initialState(context, 'test', request), { test: testTable });
}

async function start(state: OperationState, work: TestWork, { signal }: StateTools): Promise<OperationState> {
  const last = (await readHistory(work, state, signal)).at(-1);
  if (last === undefined) throw new OperationError('release_not_found', 'release: not found');
  const { version, info, hooks = [] } = last.release;
  const tests = placedHooks(hooks, 'test').map(({ hook }) => hook);
  if (tests.length > 0) requireTrusted(work.context, last, 'tests do not run');
  const rest = { stored: 'yes', deployedAt: info.last_deployed } as const;
  const started = { ...state, revision: revisionState('test', version, rest) };
  const selected = tests.filter(selectorOf(work.request));
  const used = { removed: [], hooks: selected, records: ['update'] } as const;
  await requireAccessTo(started, { ...work, request: {} }, used, signal); // tests have no plan and no dry run
  return started;
}

async function runTests(state: OperationState, work: TestWork, tools: StateTools): Promise<OperationState> {
  const { cache, request } = work;
  const { logs = false } = request;
  const selects = selectorOf(request);
  await orderHooks(state, work, tools.signal);
  const beforeDeletion = async (hooks: readonly Hook[]) => {
    if (logs) cache.logs = await logsOf(state, work, hooks, tools);
  };
  return await runHooks(state, work, 'test', tools, { selects, beforeDeletion, logs });
}

function selectionOf({ include = [], exclude = [] }: TestRequest) {
  const [included, excluded] = [new Set(include), new Set(exclude)];
  return {
    isExcluded: ({ name }: Hook) => excluded.has(name),
    /** Without names to include, all are. */
    isIncluded: ({ name }: Hook) => included.size === 0 || included.has(name),
  };
}

/** Returns whether a test runs. */
function selectorOf(request: TestRequest): (hook: Hook) => boolean {
  const { isExcluded, isIncluded } = selectionOf(request);
  return (hook) => !isExcluded(hook) && isIncluded(hook);
}

/**
 * Stores the hooks in the order that Helm leaves: those that the filters leave out come first. The
 * runs of the tests name hooks by their place, so this is done before the first one.
 */
async function orderHooks(state: OperationState, work: TestWork, signal: AbortSignal): Promise<void> {
  const { context, cache, request } = work;
  const own = await ownRevision(work, state, signal);
  const { hooks = [] } = own.release;
  const ordered = hooksInOrder(hooks, request);
  if (ordered.every((hook, index) => hook === hooks[index])) return;
  const revision = { ...own, release: { ...own.release, hooks: ordered } };
  const stored = await updateRevision(context.storage, revision, signal);
  cache.revisions.set(stored.release.version, stored);
}

function hooksInOrder(hooks: readonly Hook[], request: TestRequest): Hook[] {
  const { isExcluded, isIncluded } = selectionOf(request);
  const excluded = hooks.filter(isExcluded);
  const others = hooks.filter((hook) => !isExcluded(hook));
  return [...excluded, ...others.filter((hook) => !isIncluded(hook)), ...others.filter(isIncluded)];
}

/** Reads logs also if the time is up. A failure to read them is only reported. */
async function logsOf(
  state: OperationState,
  work: TestWork,
  hooks: readonly Hook[],
  tools: StateTools,
): Promise<TestLog[]> {
  const { cluster, abandon } = work.context;
  const limit = timeLimit(recordTimeout, [abandon]);
  try {
    const { signal } = limit;
    const { ofPods } = redactionOfWork(() => state, work);
    return await readTestLogs(cluster, hooks, state.namespace, {
      redact: async (text) => (await ofPods([text], signal))[0] ?? '',
      signal,
    });
  } catch (error) {
    tools.report({ message: `could not read the logs: ${messageOf(error)}` });
    return [];
  } finally {
    limit.close();
  }
}

/** Stores the runs of the tests. */
async function finish(state: OperationState, work: TestWork): Promise<OperationState> {
  const { context, cache } = work;
  const own = await ownRevision(work, state, context.abandon);
  const stored = await updateRevision(context.storage, own, context.abandon);
  cache.revisions.set(revisionOf(state).version, stored);
  return state;
}

async function outcome(state: OperationState, work: TestWork): Promise<Tested> {
  const { context, cache } = work;
  throwFailure(state, work, { fail: notStoredText });
  const { release } = await ownRevision(work, state, context.abandon);
  const [failure] = state.problems ?? [];
  return { release, ...(failure && { failure }), ...(cache.logs && { logs: cache.logs }) };
}

export const operation = operationOf('test_release', {
  request: (payload) => payload,
  run: testRelease,
  /** Other clients may add revisions in the meantime. */
  resume: (context, state, request) => runOperation(newWork(context, request), state, { test: testTable }),
  answer: ({ release, failure, logs }) => ({
    release: publicRelease(release),
    passed: failure === undefined,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    ...(logs && { logs: [...logs] }),
  }),
});
