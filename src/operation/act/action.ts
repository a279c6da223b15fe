import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { CommandType } from '../../protocol/commands/index.ts';
import { forEach } from '../apply/concurrency.ts';
import { type SeenObject, seenObject } from '../apply/seen-object.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { withEvidence } from '../evidence/with-evidence.ts';
import { throwFailure } from '../failure-message.ts';
import type { ObjectName } from '../objects/find-object.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { initialState, runOperation } from '../run.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { StateTools, Step, VerbTable } from '../steps/step.ts';
import { waitUntilGone } from '../wait/deletion.ts';
import { failFastOf } from '../wait/judge.ts';
import { waitUntilReady } from '../wait/ready.ts';
import { newWork, type Work } from '../work.ts';
import type { ActionState, Change } from './action-state.ts';
import { inTurnOfRelease } from './release-turn.ts';

/** Field manager of the changes. */
const fieldManager = 'helm-agent';

/** Annotation of a created object with the id of its operation. */
export const operationAnnotation = 'helm-agent/operation';

type ActionType = {
  [Type in CommandType]: AnswerOf<Type> extends { changes: unknown } ? Type : never;
}[CommandType];

interface ActionRequest {
  namespace: string;
  releaseName?: string;
  timeout?: number;
  wait?: boolean;
}

/** Changes to make, and the objects that must be ready then. Default: those of the changes. */
interface Action extends Pick<ActionState, 'changes' | 'settle'> {
  waitFor?: readonly SeenObject[];
  /** The live objects, in which there may be secrets. */
  objects: readonly KubeObject[];
}

/** Decides what to change. It sees the cluster as it is, and changes nothing. */
type Decide<Request> = (context: OperationContext, request: Request, tools: StateTools) => Promise<Action>;

/**
 * Returns the operation of a command that changes single objects: decides once what to change,
 * stores that, makes the changes, and waits as a release does. Nothing is undone. If `subjectOf`
 * names an object of a release, all of this happens in its turn on the release.
 */
export function actionOperation<Type extends ActionType>(
  type: Type,
  decide: Decide<RequestOf<Type>>,
  subjectOf: (request: RequestOf<Type>) => ObjectName | undefined = () => undefined,
) {
  type Request = ActionRequest & RequestOf<Type>;
  const table = tableOf<Request>(decide);
  const run = (context: OperationContext, request: Request, stateOf: (own: OperationContext) => OperationState) =>
    inTurnOfRelease(context, { subject: subjectOf(request), timeout: request.timeout }, (own) =>
      runOperation(newWork(own, request), stateOf(own), { act: table }),
    );
  return operationOf<Type, Request, AnswerOf<ActionType>>(type, {
    request: (payload) => payload, // every action has these fields
    run(context, request) {
      const { namespace, releaseName = '', timeout } = request;
      const limits = { namespace, releaseName, ...(timeout !== undefined && { timeout }) };
      return run(context, request, (own) => ({ ...initialState(own, 'act', limits), step: 'check' }));
    },
    resume: (context, state, request) => run(context, request, () => state),
    answer: (outcome) => outcome, // all of them have the same answer
  });
}

function tableOf<Request extends ActionRequest>(decide: Decide<Request>): VerbTable<Request, AnswerOf<ActionType>> {
  const check: Step<Request> = {
    id: 'check',
    name: 'check',
    async run(state, work, tools) {
      const { objects, ...action } = await decide({ ...work.context, signal: tools.signal }, work.request, tools);
      work.cache.actedOn = objects;
      const waitFor = action.waitFor ?? action.changes.map(({ ref }) => ({ ref }));
      const decided = { ...state, action: { ...action, waitFor } };
      await tools.save({ ...decided, step: 'apply' });
      return decided;
    },
  };
  return {
    phases: {
      main: {
        limit: 'operation',
        steps: [check, { id: 'apply', name: 'apply', run: apply }, { id: 'wait', name: 'wait', run: wait }],
      },
    },
    undo: () => [],
    outcome(state, work) {
      throwFailure(state, work, {});
      const changes = actionOf(state).changes.map(({ ref, text }) => ({ ...ref, change: text }));
      return Promise.resolve({ changes });
    },
  };
}

function actionOf({ action }: OperationState): ActionState {
  if (action === undefined) throw new Error('the changes of the operation are not known');
  return action;
}

async function apply(state: OperationState, work: Work<ActionRequest>, tools: StateTools): Promise<OperationState> {
  const { changes, waitFor, ...rest } = actionOf(state);
  if (changes.length === 0) {
    tools.skipped('nothing to change');
    return state;
  }
  const changed = await forEach(changes, (change) => make(change, state, work, tools));
  const seen = new Map(changed.flatMap((object) => (object ? [[identityOf(object.ref), object] as const] : [])));
  tools.done(
    changes
      .map(({ ref, text }) => `${ref.kind} ${ref.name} ${text}`)
      .slice(0, 20)
      .join(', '),
  );
  return {
    ...state,
    action: { changes, ...rest, waitFor: waitFor.map((object) => seen.get(identityOf(object.ref)) ?? object) },
  };
}

/** Makes a change. It has no further effect if it was made before. */
async function make(
  change: Change,
  { id }: OperationState,
  { context: { cluster } }: Work<ActionRequest>,
  { signal }: StateTools,
): Promise<SeenObject | undefined> {
  const { ref } = change;
  switch (change.type) {
    case 'patch': {
      const patch = { ...change.patch, metadata: { ...objectOf(change.patch['metadata']), uid: change.uid } };
      return seenObject(ref, await cluster.mergePatch(ref, patch, { fieldManager, signal }));
    }
    case 'delete':
      await cluster.delete(ref, { uid: change.uid, signal });
      return undefined;
    case 'create':
      try {
        return seenObject(ref, await cluster.create(change.object, { fieldManager, signal }));
      } catch (error) {
        const live = hasClusterErrorCode(error, 'already_exists') ? await cluster.get(ref, signal) : undefined;
        if (live === undefined || live.metadata.annotations?.[operationAnnotation] !== id) throw error;
        return seenObject(ref, live);
      }
  }
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

async function wait(state: OperationState, work: Work<ActionRequest>, tools: StateTools): Promise<OperationState> {
  const { context, request, cache } = work;
  const { changes, waitFor, settle = 0 } = actionOf(state);
  if (request.wait === false || (changes.length === 0 && waitFor.length === 0)) {
    tools.skipped(request.wait === false ? 'not requested' : 'nothing to wait for');
    return state;
  }
  // another process may have decided what to change
  cache.actedOn ??= (await forEach(waitFor, ({ ref }) => context.cluster.get(ref, tools.signal))).filter(
    (object) => object !== undefined,
  );
  const deleted = changes.filter((change) => change.type === 'delete');
  const labelled = false;
  await withEvidence(state, work, tools, async () => {
    await waitUntilGone(
      deleted.map(({ ref, uid }) => ({ ref, uid })),
      { context, tools, labelled },
    );
    const gone = new Set(deleted.map(({ ref }) => identityOf(ref)));
    const kept = waitFor.filter(({ ref }) => !gone.has(identityOf(ref)));
    if (kept.length === 0) return;
    const failFast = failFastOf({}, state.deadline.timeout);
    await waitUntilReady(kept, { context, tools, labelled, failFast, toCompletion: ['Job'], settle: { settle } });
  });
  tools.done('ready');
  return state;
}

/** Returns the uid of a live object. */
export function uidOf({ metadata: { uid, name } }: KubeObject): string {
  if (uid !== undefined) return uid;
  throw new OperationError('internal', `the API server has returned ${name} without a uid`);
}
