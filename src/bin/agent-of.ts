import { randomUUID } from 'node:crypto';
import { startAgent, type Agent, type AgentOptions } from '../agent/agent.ts';
import { createCommandHandlers } from '../agent/commands/index.ts';
import type { ListenAddress } from '../agent/connection/listen-address.ts';
import type { Logger } from '../agent/logger.ts';
import { TunnelSource } from '../agent/connection/tunnel-source.ts';
import { tlsFiles, type TlsFiles } from '../agent/connection/tls-files.ts';
import { tokenFile } from '../agent/connection/token-file.ts';
import type { ElectionTimes } from '../leader-election/election-times.ts';
import { createClusterJournal } from '../journal/cluster/cluster-journal.ts';
import { clusterPlans } from '../journal/cluster/cluster-plans.ts';
import { createMemoryJournal } from '../journal/memory.ts';
import { connectCluster } from '../kube/cluster.ts';
import type { ConnectionSource } from '../kube/connection.ts';
import type { ReleaseError } from '../release/error.ts';
import { tillerRecords } from '../release/helm2/tiller-records.ts';
import { configMapStorage } from '../release/storage/config-map.ts';
import { secretStorage } from '../release/storage/secret.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import { memoryPlans } from '../operation/plan/plans.ts';
import { resolveHost } from '../render/resolve-host.ts';
import { processHost } from '../render/process-host.ts';
import type { ProxyEnvironment } from '../source/http/proxy-environment.ts';
import { garbageCollector } from '../threads/garbage.ts';
import { collectWhenIdle } from '../threads/idle-collection.ts';
import { leadership } from './leadership.ts';
import { agentCharts } from './agent-charts.ts';
import { containerMemoryMb, keepMemory } from './process-memory.ts';
import { programPostRenderers } from './post-renderers.ts';
import { recoverAtStart, type RecoverAtStartOptions, type RecoverMode } from './recover-at-start.ts';
import { secretCredentials } from './secret-credentials.ts';
import { textThreads, type TextLimitGroups } from './text-threads.ts';
import { version } from './version.ts';

export interface AgentSetup {
  agentId: string;
  cluster: ConnectionSource;
  log: Logger;
  controlPlaneUrl?: string | readonly string[] | undefined;
  /** Files for TLS with control planes. Default: the CAs of the system, and no certificate. */
  tlsFiles?: TlsFiles | undefined;
  /**
   * Names the proxies to control planes, repositories and registries, in `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY`. Default: none.
   */
  proxyEnv?: ProxyEnvironment | undefined;
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
  /**
   * Times of leader election. Only one process of an agent id then works, and the others wait for
   * its end. Needs a journal in the cluster. Default: every process works.
   */
  election?: ElectionTimes | undefined;
  /**
   * Treatment of releases that an ended process of this agent has left unfinished, and whose
   * commands the journal does not have. Default: `auto` with a journal in the cluster, because then
   * no other process of this agent works, otherwise `report`.
   */
  recover?: RecoverMode | undefined;
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
  const lead = setup.election && leadership({ ...setup, times: setup.election });
  const cluster = connectCluster(setup.cluster, {
    random: Math.random,
    ...(lead && { writeTimeLimit: lead.timeLeft }),
  });
  const tracker = createTracker(cluster, { linger: watchLinger });
  const texts = textThreads({
    allowNunjucks: setup.allowNunjucks ?? false,
    limits,
    memoryLimitMb: memoryLimit,
    afterLarge: memory?.collect,
  });
  const idle = collectWhenIdle(texts.large.run, garbageCollector());
  const kind = setup.storageDriver === 'configmap' ? 'ConfigMap' : 'Secret';
  const onUnreadable = (error: ReleaseError) => {
    log.warn({ code: error.code }, 'skipped an unreadable release');
  };
  const storage = (kind === 'ConfigMap' ? configMapStorage : secretStorage)({
    cluster,
    host,
    holder: { agentId: setup.agentId, instanceId: randomUUID() },
    codec: texts.codec,
    onUnreadable,
  });
  const onProblem = (message: string, fields: object) => {
    log.warn(fields, message);
  };
  const journaling = { cluster, namespace: cluster.namespace, agentId: setup.agentId, now: Date.now, onProblem };
  const plans = setup.journal === 'cluster' ? clusterPlans(journaling) : memoryPlans(host);
  const tunnels = new TunnelSource();
  const charts = agentCharts({ ...setup, tunnels, texts });
  const handlers = createCommandHandlers({
    source: charts.source,
    credentials: secretCredentials(cluster, cluster.namespace),
    run: idle.run,
    postRenderers: programPostRenderers(setup.postRenderers ?? {}, process.env['PATH']),
    tillerRecords: tillerRecords({ cluster, decode: texts.helm2Decoder, onUnreadable }),
    plans,
    surroundings: { cluster, tracker, storage, renderer: texts.renderer, host, resolveHost },
  });
  const { recover: mode = setup.journal === 'cluster' ? 'auto' : 'report' } = setup;
  const start = async (term?: AbortSignal): Promise<Agent> => {
    const instanceId = randomUUID();
    const stopping = new AbortController();
    let report = () => Promise.resolve();
    const journal =
      setup.journal === 'cluster' ? createClusterJournal({ ...journaling, instanceId }) : createMemoryJournal();
    const started = await startAgent({
      ...setup,
      ...(lead && { healthPort: undefined }),
      journal,
      instanceId,
      version,
      handlers,
      tunnels,
      term,
      async onResumed(continued) {
        const options: RecoverAtStartOptions = { ...setup, cluster, storage, kind, mode };
        const recover = () => recoverAtStart(options, continued, stopping.signal);
        if (mode === 'auto') await recover();
        else report = recover; // commands do not have to wait for it
      },
      random: Math.random,
      now: () => new Date(),
      readToken: setup.tokenFile === undefined ? undefined : tokenFile(setup.tokenFile),
      readTls: setup.tlsFiles && tlsFiles(setup.tlsFiles),
    });
    const reporting = report();
    return {
      ...started,
      async stop() {
        stopping.abort();
        await Promise.all([started.stop(), reporting]);
      },
    };
  };
  const agent = lead === undefined ? await start() : await lead.startAgent(start);
  return {
    ...agent,
    async stop() {
      await agent.stop();
      charts.close();
      await tracker.close();
      await Promise.all([texts.close(), cluster.close(), lead?.close()]);
      memory?.stop();
      idle.stop();
    },
  };
}
