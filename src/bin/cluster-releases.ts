import type { CommandContext } from '../agent/commands/command-handler.ts';
import type { CommandDependencies } from '../agent/commands/performance.ts';
import type { Logger } from '../agent/logger.ts';
import type { PerformOptions, ReleaseCommand, Releases } from '../cli/helm/release/releases.ts';
import type { LocatedChart } from '../cli/locate-chart.ts';
import { connectCluster } from '../kube/cluster.ts';
import type { ConnectionSource } from '../kube/connection.ts';
import { memoryPlans } from '../operation/plan/plans.ts';
import type { Progress } from '../operation/progress.ts';
import { memoryCheckpoints } from '../operation/state/checkpoints.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import type { CommandParameters } from '../protocol/commands/index.ts';
import { configMapStorage } from '../release/storage/config-map.ts';
import { memoryStorage } from '../release/storage/memory.ts';
import { secretStorage } from '../release/storage/secret.ts';
import { processHost } from '../render/process-host.ts';
import { commandLoaders } from './command-loaders.ts';
import { withHelmText } from './unreachable-text.ts';
import { resolveHost } from '../render/resolve-host.ts';
import { locatedChartSource } from './located-chart-source.ts';
import { textThreads } from './text-threads.ts';

export interface ClusterReleasesOptions {
  cluster: ConnectionSource;
  storageDriver: 'secret' | 'configmap';
  /** Receives what operations report. */
  progress: (progress: Progress) => void;
}

/** Performs commands about releases on a cluster, in this process. */
export function clusterReleases({ storageDriver, progress, ...options }: ClusterReleasesOptions): Releases {
  const host = processHost();
  const cluster = connectCluster(options.cluster, { failsUnreached: true });
  const tracker = createTracker(cluster);
  const texts = textThreads({ allowNunjucks: false });
  const createStorage = storageDriver === 'configmap' ? configMapStorage : secretStorage;
  // as in Helm, releases that cannot be read are left out
  const storage = createStorage({ cluster, host, onUnreadable: () => undefined });
  const dependencies = (chart: LocatedChart | undefined, isOffline: boolean): CommandDependencies => ({
    source: locatedChartSource(chart, texts.chartReader),
    plans: memoryPlans(host),
    tillerRecords() {
      throw new Error('helm has no commands for releases of Helm 2');
    },
    surroundings: {
      ...{ cluster, tracker, renderer: texts.renderer, host, resolveHost },
      storage: isOffline ? memoryStorage(host) : storage,
    },
  });
  return {
    async perform<Type extends ReleaseCommand>(
      type: Type,
      payload: CommandParameters[Type] & { dryRun?: unknown },
      { chart, signal }: PerformOptions = {},
    ) {
      // as in Helm, an installation as a dry run of the client sees no releases
      const isOffline = type === 'install_release' && payload.dryRun === 'client';
      const { reader, handler } = await commandLoaders[type]();
      const perform = handler(dependencies(chart, isOffline));
      const answer = await perform(reader.parse(payload, { jitless: true }), commandContext(progress, signal)).catch(
        (error: unknown) => {
          throw withHelmText(error, cluster.server);
        },
      );
      // as if it came in a packet, which has no undefined fields
      return JSON.parse(JSON.stringify(answer)) as typeof answer;
    },
    async close() {
      await tracker.close();
      await Promise.all([texts.close(), cluster.close()]);
    },
  };
}

/** Returns the surroundings of a command that nothing continues after this process. */
function commandContext(
  progress: (progress: Progress) => void,
  signal: AbortSignal = new AbortController().signal,
): CommandContext {
  return {
    id: '',
    checkpoints: memoryCheckpoints(),
    state: undefined,
    signal,
    abandon: new AbortController().signal,
    queued: 0,
    whileWaiting: (wait) => wait(),
    progress,
    cancel: () => false,
    log: silentLogger,
  };
}

const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
