import type { ChartContent } from '../chart/load/chart-content.ts';
import type { PerformOptions, ReleaseCommand, Releases } from '../cli/helm/release/releases.ts';
import type { LoadedChart } from '../downloader/index.ts';
import { goNetworkText, messageOf } from '../errors/index.ts';
import type { ProxyEnvironment } from '../go/http-proxy.ts';
import { connectCluster, type ConnectionSource, isKubeError } from '../kube/index.ts';
import { type LoadersByType, operations } from '../operation/index.ts';
import { memoryPlans } from '../operation/plan/plans.ts';
import type { Progress } from '../operation/progress.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import type { CommandAnswers, CommandPayloads } from '../protocol/commands/index.ts';
import type { StorageDriver } from '../release/storage/drivers.ts';
import { openStorage } from '../release/storage/kube-storage.ts';
import { memoryStorage } from '../release/storage/memory.ts';
import type { ValueWarning } from '../render/notice.ts';
import { processHost } from '../render/process-host.ts';
import { resolveHost } from '../render/resolve-host.ts';
import { openWorkers } from './worker-threads.ts';

export interface ClusterReleasesOptions {
  cluster: ConnectionSource;
  /** Names the proxy to the API server. Default: none. */
  proxyEnv?: ProxyEnvironment;
  storageDriver: StorageDriver;
  /** How commands are performed. Default: with the operations of helm-agent. */
  loaders?: LoadersByType;
  /** Receives what operations report. */
  progress: (progress: Progress) => void;
  /** Receives what Helm logs while it merges values. Default: nothing does. */
  onValueWarning?: (warning: ValueWarning) => void;
}

/** Performs commands about releases on a cluster, in this process. */
export function clusterReleases({
  storageDriver,
  progress,
  onValueWarning,
  loaders = operations,
  ...options
}: ClusterReleasesOptions): Releases {
  const host = processHost();
  const cluster = connectCluster(options.cluster, { failsUnreached: true, proxyEnv: options.proxyEnv });
  const tracker = createTracker(cluster);
  const workers = openWorkers({ allowNunjucks: false });
  // as in Helm, releases that cannot be read are left out
  const storage = openStorage(storageDriver, { cluster, host, onUnreadable: () => undefined });
  const shared = {
    ...{ cluster, tracker, renderer: workers.renderer, redactor: workers.redactor, host, resolveHost, progress },
    ...(onValueWarning && { onValueWarning }),
    plans: memoryPlans(host),
    tillerRecords(): never {
      throw new Error('helm has no commands for releases of Helm 2');
    },
  };
  return {
    async perform<Type extends ReleaseCommand>(
      type: Type,
      payload: CommandPayloads[Type] & { dryRun?: unknown },
      { chart, signal = new AbortController().signal }: PerformOptions = {},
    ) {
      // as in Helm, an installation as a dry run of the client sees no releases
      const isOffline = type === 'install_release' && payload.dryRun === 'client';
      const load = loaders[type];
      if (load === undefined) throw new TypeError(`${type} has no operation`);
      const { operation } = await load();
      const context = {
        ...shared,
        ...{ signal, chartAt: () => () => contentOf(chart) },
        storage: isOffline ? memoryStorage(host) : storage,
      };
      // the operation of its own type
      const answer = operation.perform(payload as never, context) as Promise<CommandAnswers[Type]>;
      return await answer.catch((error: unknown) => {
        throw withHelmText(error, cluster.server);
      });
    },
    async close() {
      await tracker.close();
      await Promise.all([workers.close(), cluster.close()]);
    },
  };
}

function contentOf(chart: LoadedChart | undefined): Promise<ChartContent> {
  return chart === undefined ? Promise.reject(new Error('this command has no chart')) : Promise.resolve(chart.content);
}

/** A cluster that cannot be reached, in Helm's words. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'unreachable';
}

/**
 * Returns the error, with the text of Helm if no request has reached the cluster (pkg/kube).
 */
function withHelmText(error: unknown, server: string): unknown {
  if (!isKubeError(error, 'unreachable')) return error;
  const request = `Get ${JSON.stringify(`${server}/version`)}`;
  return new UnreachableError(
    `kubernetes cluster unreachable: ${request}: ${goNetworkText(error.cause) ?? messageOf(error.cause ?? error)}`,
    { cause: error },
  );
}
