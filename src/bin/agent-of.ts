import { randomUUID } from 'node:crypto';
import { startAgent, type Agent, type AgentOptions } from '../agent/agent.ts';
import { createCommandHandlers } from '../agent/commands/index.ts';
import type { ListenAddress } from '../agent/connection/listen-address.ts';
import type { Logger } from '../agent/logger.ts';
import { tokenFile } from '../agent/connection/token-file.ts';
import { createClusterJournal } from '../journal/cluster/cluster-journal.ts';
import { createMemoryJournal } from '../journal/memory.ts';
import { connectCluster } from '../kube/cluster.ts';
import type { ConnectionSource } from '../kube/connection.ts';
import { configMapStorage } from '../release/storage/config-map.ts';
import { secretStorage } from '../release/storage/secret.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import { memoryPlans } from '../operation/plan/plans.ts';
import { processHost } from '../render/process-host.ts';
import { createChartSource } from '../source/chart-source.ts';
import { garbageCollector } from '../threads/garbage.ts';
import { collectWhenIdle } from '../threads/idle-collection.ts';
import { containerMemoryMb, keepMemory } from './process-memory.ts';
import { programPostRenderers } from './post-renderers.ts';
import { textThreads, type TextLimitGroups } from './text-threads.ts';
import { version } from './version.ts';

export interface AgentSetup {
  agentId: string;
  cluster: ConnectionSource;
  log: Logger;
  controlPlaneUrl?: string | undefined;
  tokenFile?: string | undefined;
  listen?: ListenAddress | undefined;
  listenInsecure?: boolean;
  localCharts?: string | undefined;
  /** Addresses that downloads must not connect to, see `ChartSourceOptions`. Default: none. */
  denyAddresses?: readonly string[] | undefined;
  /** Port for `/healthz` and `/readyz` on all addresses. Default: probes are not served. */
  healthPort?: number | undefined;
  /** Memory that this process may take, in MiB. Default: the limit of its container. */
  memoryLimit?: number | undefined;
  /** Whether charts may use Nunjucks. Default: false. */
  allowNunjucks?: boolean;
  times?: NonNullable<AgentOptions['times']>;
  /** Limits for texts of strangers. Default: `defaultTextLimits` and so on. */
  limits?: TextLimitGroups | undefined;
  /**
   * Where commands are kept. `cluster`: in Secrets, so that the next process continues them.
   * Default: `memory`.
   */
  journal?: 'memory' | 'cluster' | undefined;
  /** Where releases are stored. Default: `secret`. */
  storageDriver?: 'secret' | 'configmap' | undefined;
  /** Time limit of each chart download, in milliseconds. Default: 120,000. */
  downloadTimeoutMs?: number;
  /** Programs that commands may name as post-renderers, by name. Default: none. */
  postRenderers?: Readonly<Record<string, string>> | undefined;
  /** Whether to access OCI registries over HTTP without TLS. Default: false. */
  plainHttp?: boolean;
}

/** Time for which watches continue without a user, in milliseconds. */
const watchLinger = 10_000;

/** Starts an agent together with its cluster, release storage, renderer and chart source. */
export async function agentOf(setup: AgentSetup): Promise<Agent> {
  const { log, limits = {}, memoryLimit = containerMemoryMb() } = setup;
  const memory = memoryLimit === undefined ? undefined : keepMemory(memoryLimit);
  const host = processHost();
  const cluster = connectCluster(setup.cluster);
  const tracker = createTracker(cluster, { linger: watchLinger });
  const texts = textThreads({
    allowNunjucks: setup.allowNunjucks ?? false,
    limits,
    memoryLimitMb: memoryLimit,
    afterLarge: memory?.collect,
  });
  const idle = collectWhenIdle(texts.large.run, garbageCollector());
  const createStorage = setup.storageDriver === 'configmap' ? configMapStorage : secretStorage;
  const storage = createStorage({
    cluster,
    host,
    codec: texts.codec,
    onUnreadable: (error) => log.warn({ code: error.code }, 'skipped an unreadable release'),
  });
  const handlers = createCommandHandlers({
    source: createChartSource({
      localCharts: setup.localCharts,
      denyAddresses: setup.denyAddresses,
      timeoutMs: setup.downloadTimeoutMs,
      reader: texts.chartReader,
      plainHttp: setup.plainHttp,
      waitForTurn: texts.large.waitForTurn,
    }),
    run: idle.run,
    postRenderers: programPostRenderers(setup.postRenderers ?? {}, process.env['PATH']),
    plans: memoryPlans(host),
    surroundings: { cluster, tracker, storage, renderer: texts.renderer, host },
  });
  const instanceId = randomUUID();
  const journal =
    setup.journal === 'cluster'
      ? createClusterJournal({
          ...{ cluster, namespace: cluster.namespace, agentId: setup.agentId, instanceId, now: Date.now },
          onProblem: (message, fields) => log.warn(fields, message),
        })
      : createMemoryJournal();
  const agent = await startAgent({
    ...setup,
    journal,
    instanceId,
    version,
    handlers,
    random: Math.random,
    now: () => new Date(),
    readToken: setup.tokenFile === undefined ? undefined : tokenFile(setup.tokenFile),
  });
  return {
    ...agent,
    async stop() {
      await agent.stop();
      await tracker.close();
      await Promise.all([texts.close(), cluster.close()]);
      memory?.stop();
      idle.stop();
    },
  };
}
