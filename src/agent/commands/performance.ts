import type { OperationContext } from '../../operation/context.ts';
import type { Plans } from '../../operation/plan/plans.ts';
import type { Progress } from '../../operation/progress.ts';
import type { InstallRequest } from '../../operation/request.ts';
import type { OperationState } from '../../operation/state/operation-state.ts';
import type { CommandAnswers, CommandPayloads, CommandType } from '../../protocol/commands/index.ts';
import type { AdoptRequest } from '../../operation/adopt.ts';
import type { ChartRequest } from '../../source/chart-request.ts';
import type { ChartSource } from '../../source/chart-source.ts';
import type { CommandHandler } from './command-handler.ts';

type PostRender = NonNullable<InstallRequest['postRender']>;

/** Reads the credentials for a chart from the Secret with this name. */
type ReadCredentials = (
  secret: string,
  chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>,
  signal: AbortSignal,
) => Promise<Pick<ChartRequest, 'username' | 'password' | 'token' | 'tls'>>;

/** The functions with which requests are made. */
export interface RequestDependencies {
  source: Pick<ChartSource, 'load'>;
  /** Reads the credentials for a chart from a Secret. Default: commands cannot name one. */
  credentials?: ReadCredentials;
  /** Returns the revisions that Tiller has stored in a namespace. Default: `kube-system`. */
  tillerRecords: (tillerNamespace?: string) => AdoptRequest['tiller'];
  /** Where plans are kept. */
  plans: Plans;
  /** Post-renderers that commands may name. Default: none. */
  postRenderers?: ReadonlyMap<string, PostRender>;
}

export interface CommandDependencies extends RequestDependencies {
  /** The part of the context that all operations of this agent share. */
  surroundings: Pick<OperationContext, 'cluster' | 'tracker' | 'storage' | 'renderer' | 'host' | 'resolveHost'>;
  /** Runs each command. Default: at once. */
  run?: RunCommand;
}

/** How a command is performed: payload -> request -> operation -> answer. */
export interface Performance<Type extends CommandType, Request, Outcome> {
  readonly type: Type;
  request: (payload: CommandPayloads[Type], dependencies: RequestDependencies) => Request;
  operation: (context: OperationContext, request: Request) => Promise<Outcome>;
  /** Continues the operation from a state that was saved. Default: the command is only read. */
  resume?: (context: OperationContext, state: OperationState, request: Request) => Promise<Outcome>;
  answer: (outcome: Outcome, payload: CommandPayloads[Type]) => CommandAnswers[Type];
}

/** Returns the performance of a command; infers its types. */
export function performance<Type extends CommandType, Request, Outcome>(
  type: Type,
  parts: Omit<Performance<Type, Request, Outcome>, 'type'>,
): Performance<Type, Request, Outcome> {
  return { type, ...parts };
}

/** Runs a command. */
type RunCommand = <Result>(command: () => Promise<Result>) => Promise<Result>;

const atOnce: RunCommand = (command) => command();

/** Returns the handler for a command. */
export function handlerOf<Type extends CommandType, Request, Outcome>(
  { request, operation, resume, answer }: Performance<Type, Request, Outcome>,
  dependencies: CommandDependencies,
): CommandHandler<Type> {
  const { run = atOnce } = dependencies;
  return async (payload, command) => {
    const { signal, abandon, id, checkpoints, state, queued, whileWaiting } = command;
    const progress = (step: Progress) => command.progress(step);
    const own = { signal, abandon, progress, id, checkpoints, queued, whileWaiting };
    const context = { ...dependencies.surroundings, ...own };
    const perform = (input: Request) =>
      state === undefined || resume === undefined ? operation(context, input) : resume(context, state, input);
    return run(async () => answer(await perform(request(payload, dependencies)), payload));
  };
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Returns the fields that are not undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Fields>; // the filter does what the type says
}
