import type { OperationContext } from '../../operation/context.ts';
import { operations } from '../../operation/index.ts';
import type { Operation, RequestSources } from '../../operation/command-operation.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { CommandType } from '../../protocol/commands/index.ts';
import { chartLoader, type ChartLoaderOptions } from './chart-loader.ts';
import type { CommandHandler, CommandHandlers } from './command-handler.ts';

/** Runs a command. */
type RunCommand = <Result>(command: () => Promise<Result>) => Promise<Result>;

const atOnce: RunCommand = (command) => command();

/** The part of the context that belongs to the agent, or to a service account that it acts as. */
export type Identity = Pick<OperationContext, 'cluster' | 'tracker' | 'storage' | 'account'> &
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
  { surroundings, runAs, run = atOnce, source, credentials, ...sources }: CommandDependencies,
): CommandHandler<Type> {
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
