import type { ServiceAccount } from '../../objects/service-account.ts';
import type { Performer, RequestSources } from '../../operation/command-operation.ts';
import type { OperationContext } from '../../operation/context.ts';
import { type LoadersByType, operations } from '../../operation/index.ts';
import { chartLoader, type ChartLoaderOptions } from './chart-loader.ts';
import type { CommandContext, CommandHandler, HandlersByType } from './command-handler.ts';

/** Runs a command. */
type RunCommand = <Result>(command: () => Promise<Result>) => Promise<Result>;

const atOnce: RunCommand = (command) => command();

/** The part of the context that belongs to the agent, or to a service account that it acts as. */
export type Identity = Pick<OperationContext, 'cluster' | 'tracker' | 'storage' | 'account' | 'access'> &
  Pick<RequestSources, 'tillerRecords'>;

interface RunAs {
  /** Runs work as a service account; undefined for the agent itself. */
  runAs: <Result>(
    account: ServiceAccount | undefined,
    work: (identity: Identity) => Promise<Result>,
  ) => Promise<Result>;
}

export interface CommandDependencies
  extends ChartLoaderOptions, Omit<RequestSources, 'chartAt' | 'tillerRecords'>, RunAs {
  /** The part of the context that all operations of this agent share. */
  surroundings: Pick<OperationContext, 'trustReleases' | 'renderer' | 'redactor' | 'host' | 'resolveHost'>;
  /** Runs each command. Default: at once. */
  run?: RunCommand;
}

/** Returns the handlers that perform commands as operations on releases. */
export function createCommandHandlers(
  dependencies: CommandDependencies,
  loaders: LoadersByType = operations,
): HandlersByType {
  const handlers = Object.entries(loaders).map(([type, load]) => [type, handlerOf(load, dependencies)] as const);
  const cancel: CommandHandler<'cancel_command'> = ({ key, mode = 'undo' }, context) =>
    Promise.resolve({ cancelled: context.cancel(key, mode) });
  return { ...Object.fromEntries(handlers), cancel_command: cancel };
}

/** Returns the handler for a command. */
export function handlerOf<Payload, Answer>(
  load: () => Promise<{ operation: Performer<Payload, Answer> }>,
  { surroundings, runAs, run = atOnce, source, credentials, ...sources }: CommandDependencies,
): (payload: Payload, context: CommandContext) => Promise<Answer> {
  const chartAt = chartLoader({ source, ...(credentials && { credentials }) });
  return (payload, { signal, abandon, id, checkpoints, state, queued, whileWaiting, onJournaled, ...command }) =>
    run(async () => {
      const { operation } = await load();
      return await runAs(command.account, (identity) =>
        operation.perform(payload, {
          ...surroundings,
          ...identity,
          ...sources,
          ...{ chartAt, signal, abandon, id, checkpoints, state, queued, whileWaiting, whenStored: onJournaled },
          progress: (step) => command.progress(step),
        }),
      );
    });
}
