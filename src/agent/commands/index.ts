import type { OperationContext } from '../../operation/context.ts';
import { operations } from '../../operation/index.ts';
import type { Operation, RequestSources } from '../../operation/command-operation.ts';
import type { CommandType } from '../../protocol/commands/index.ts';
import { chartLoader, type ChartLoaderOptions } from './chart-loader.ts';
import type { CommandHandler, CommandHandlers } from './command-handler.ts';

/** Runs a command. */
type RunCommand = <Result>(command: () => Promise<Result>) => Promise<Result>;

const atOnce: RunCommand = (command) => command();

export interface CommandDependencies extends ChartLoaderOptions, Omit<RequestSources, 'chartAt'> {
  /** The part of the context that all operations of this agent share. */
  surroundings: Pick<
    OperationContext,
    'cluster' | 'tracker' | 'storage' | 'trustReleases' | 'renderer' | 'redactor' | 'host' | 'resolveHost'
  >;
  /** Runs each command. Default: at once. */
  run?: RunCommand;
}

/** Returns the handlers that perform commands as operations on releases. */
export function createCommandHandlers(dependencies: CommandDependencies): CommandHandlers {
  const handlers = Object.entries(operations).map(([type, load]) => [type, handlerOf(load, dependencies)]);
  return {
    ...(Object.fromEntries(handlers) as Omit<CommandHandlers, 'cancel_command'>), // one for each operation
    cancel_command: ({ key, mode = 'undo' }, { cancel }) => Promise.resolve({ cancelled: cancel(key, mode) }),
  };
}

/** Returns the handler for a command. */
export function handlerOf<Type extends CommandType>(
  load: () => Promise<{ operation: Pick<Operation<Type, unknown, unknown>, 'perform'> }>,
  { surroundings, run = atOnce, source, credentials, ...sources }: CommandDependencies,
): CommandHandler<Type> {
  const chartAt = chartLoader({ source, ...(credentials && { credentials }) });
  return (payload, { signal, abandon, id, checkpoints, state, queued, whileWaiting, onJournaled, ...command }) =>
    run(async () => {
      const { operation } = await load();
      return await operation.perform(payload, {
        ...surroundings,
        ...sources,
        ...{ chartAt, signal, abandon, id, checkpoints, state, queued, whileWaiting, whenStored: onJournaled },
        progress: (step) => command.progress(step),
      });
    });
}
