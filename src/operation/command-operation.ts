import type { ChartContent } from '../chart/load/chart-content.ts';
import type { CommandPayloads, CommandType } from '../protocol/commands/index.ts';
import type { TillerRecords } from '../release/helm2/tiller-records.ts';
import type { PostRender } from '../render/manifest/post-render.ts';
import type { OwnPod } from './agent-upgrade/own-agent.ts';
import type { OperationContext } from './context.ts';
import { withoutSecretValues } from './evidence/secret-values.ts';
import type { Plans } from './plan/plans.ts';
import type { AnswerOf, ChartPlace, RequestOf } from './request.ts';
import type { OperationState } from './state/operation-state.ts';

/** Everything that a payload only names. */
export interface RequestSources {
  /** Returns a function that loads a chart. Throws `bad_payload`. */
  chartAt: (place: ChartPlace) => (signal: AbortSignal) => Promise<ChartContent>;
  /** Returns the revisions that Tiller has stored in a namespace. Default: `kube-system`. */
  tillerRecords: (tillerNamespace?: string) => TillerRecords;
  /** Where plans are kept. */
  plans: Plans;
  /** Post-renderers that commands may name. Default: none. */
  postRenderers?: ReadonlyMap<string, PostRender>;
  /** Whether requests with `enableDns` are refused. Default: false. */
  denyDns?: boolean;
  /** The pod of the agent. Default: it does not run in one, or without leader election. */
  ownPod?: OwnPod | undefined;
}

/** Dependencies of a command that is performed. */
export interface PerformContext extends OperationContext, RequestSources {
  /** The state to continue from. Default: the command was not performed before. */
  state?: OperationState | undefined;
  /** Registers work for when the answer is stored. Default: it is done before the answer. */
  whenStored?: (work: () => Promise<void>) => void;
}

/** How a command is performed. */
interface Parts<Type extends CommandType, Request, Outcome> {
  /** Returns the request of the operation. Default: the payload. Throws `bad_payload`. */
  request: (payload: RequestOf<Type>, sources: RequestSources) => Request;
  run: (context: OperationContext, request: Request) => Promise<Outcome>;
  /** Continues from a state that was saved. Default: the operation runs again. */
  resume?: (context: OperationContext, state: OperationState, request: Request) => Promise<Outcome>;
  /** Called when the journal has the answer, so that the command is not performed again. */
  afterSuccess?: (request: Request) => Promise<void>;
  answer: (outcome: Outcome, payload: RequestOf<Type>) => AnswerOf<Type>;
}

/** Performs a command. */
export interface Performer<Payload, Answer> {
  /** Performs or continues the command, and returns the fields of its result. */
  perform(payload: Payload, context: PerformContext): Promise<Answer>;
}

/** The operation of a command: payload -> request -> outcome -> answer. */
export interface Operation<Type extends CommandType, Request, Outcome>
  extends Parts<Type, Request, Outcome>, Performer<CommandPayloads[Type], AnswerOf<Type>> {}

/** Returns the operation of a command. */
export function operationOf<Type extends CommandType, Request, Outcome>(
  _type: Type,
  parts: Parts<Type, Request, Outcome>,
): Operation<Type, Request, Outcome> {
  const { request, run, resume, afterSuccess, answer } = parts;
  return {
    ...parts,
    async perform(given, context) {
      const payload = withoutUndefined(given) as RequestOf<Type>; // the same fields, which it does not change
      const input = request(payload, context);
      const { state, whenStored } = context;
      const outcome =
        state === undefined || resume === undefined ? await run(context, input) : await resume(context, state, input);
      if (afterSuccess !== undefined) {
        if (whenStored === undefined) await afterSuccess(input);
        else whenStored(() => afterSuccess(input));
      }
      return await withoutSecretValues(answer(outcome, payload), context);
    },
  };
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Returns the fields that are not undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Fields>; // the filter does what the type says
}
