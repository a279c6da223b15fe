import { codeOf, messageOf } from '../../errors/index.ts';
import type { Cluster } from '../../objects/cluster.ts';
import type { ServiceAccount } from '../../objects/service-account.ts';
import type { Performer, RequestSources } from '../../operation/command-operation.ts';
import type { OperationContext } from '../../operation/context.ts';
import { type LoadersByType, operations } from '../../operation/index.ts';
import { chartReferenceOf } from '../../policy/chart-reference.ts';
import type { CommandPolicy } from '../../policy/command-policy.ts';
import { limitedCluster } from '../../policy/limited-cluster.ts';
import { chartBytes } from '../../policy/sizes.ts';
import type { OpenCommandStream } from '../command-stream.ts';
import { chartLoader, type ChartLoaderOptions } from './chart-loader.ts';
import type { CommandContext, CommandHandler, HandlersByType } from './command-handler.ts';

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
  shared: Pick<
    OperationContext,
    'trustReleases' | 'lookup' | 'renderer' | 'redactor' | 'sealing' | 'host' | 'resolveHost' | 'corrections'
  >;
  /** Runs each command. Default: at once. */
  run?: RunCommand;
  /** Opens the stream of the command with a key. Default: commands have no streams. */
  openStream?: OpenCommandStream;
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
  { shared, runAs, run = atOnce, source, credentials, openStream, ...sources }: CommandDependencies,
): (payload: Payload, context: CommandContext) => Promise<Answer> {
  const chartAt = chartLoader({ source, sealing: shared.sealing, ...(credentials && { credentials }) });
  return (
    payload,
    { signal, abandon, id, checkpoints, state, queued, whileWaiting, takeTurn, onJournaled, ...command },
  ) =>
    run(async () => {
      const { operation } = await load();
      const { policy } = command;
      const limitsOf = (cluster: Cluster, limits: CommandPolicy | undefined) =>
        limits === undefined ? {} : { policy: limits, cluster: limitedCluster(cluster, limits) };
      return await runAs(command.account, (identity) =>
        operation.perform(payload, {
          ...shared,
          ...identity,
          ...limitsOf(identity.cluster, policy),
          ...sources,
          chartAt: policy === undefined ? chartAt : allowedChartAt(chartAt, policy),
          ...{ signal, abandon, id, checkpoints, state, queued, whileWaiting },
          takeTurn: (turn, change) => takeTurn(turn, (current) => change(limitsOf(identity.cluster, current))),
          whenStored: onJournaled,
          ...(openStream && { openStream: (session) => openStream(id, signal, session) }),
          progress: (step) => command.progress(step),
        }),
      );
    });
}

/** Returns a loader of charts that refuses those that the policy does not allow. */
function allowedChartAt(chartAt: ReturnType<typeof chartLoader>, policy: CommandPolicy): RequestSources['chartAt'] {
  return (place) => {
    const { chartSignatures, chartMirrors: mirrors } = policy;
    const load = chartAt(place, { verification: chartSignatures?.verification(place.verify), mirrors });
    const reference = chartReferenceOf(place);
    return async (signal) => {
      policy.requireChart({ reference });
      const chart = await load(signal).catch((error: unknown) => {
        if (codeOf(error) === 'chart_not_verified') chartSignatures?.require(undefined, messageOf(error));
        throw error;
      });
      chartSignatures?.require(chart.signature);
      policy.requireChart({ reference, version: chart.version, bytes: chartBytes(chart) });
      await policy.conditions?.requireChart({ reference, version: chart.version });
      return chart;
    };
  };
}
