import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type AgentOptions, startAgent } from '../agent/agent.ts';
import { ClusterHealth } from '../agent/cluster-health.ts';
import { commandStreams } from '../agent/command-stream.ts';
import { createCommandHandlers } from '../agent/commands/index.ts';
import type { ListenAddress } from '../agent/connection/listen-address.ts';
import { DirectStreams } from '../agent/connection/raw-shell.ts';
import { type TlsFiles, tlsFiles } from '../agent/connection/tls-files.ts';
import { tokenFile } from '../agent/connection/token-file.ts';
import { TunnelSource } from '../agent/connection/tunnel-source.ts';
import { measuredJournal } from '../agent/measured-journal.ts';
import type { ProxyEnvironment } from '../go/http-proxy.ts';
import { clusterPlans, createClusterJournal, createMemoryJournal, SigningKey } from '../journal/index.ts';
import { connectCluster, type ConnectionSource } from '../kube/index.ts';
import type { ElectionTimes } from '../leader-election/index.ts';
import { agentMetrics, requestCounter } from '../metrics/agent-metrics.ts';
import { silentRecorder } from '../metrics/metric-table.ts';
import { openServerTls, type ServerTlsFiles } from '../net/server-tls.ts';
import type { Cluster } from '../objects/cluster.ts';
import { CorrectionCounts } from '../operation/drift/correction-counts.ts';
import { operations } from '../operation/index.ts';
import { expirePlans } from '../operation/plan/expire-plans.ts';
import { memoryPlans } from '../operation/plan/plans.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import { createThreadedEvaluator } from '../policy/conditions/threaded-evaluator.ts';
import { openPolicyFile } from '../policy/policy-file.ts';
import type { LookupScope } from '../policy/policy-rules.ts';
import type { Right } from '../protocol/commands/definition.ts';
import { commandTable } from '../protocol/commands/index.ts';
import type { ReleaseError } from '../release/error.ts';
import { tillerRecords } from '../release/helm2/tiller-records.ts';
import type { StorageDriver } from '../release/storage/drivers.ts';
import { openStorage } from '../release/storage/kube-storage.ts';
import { processHost } from '../render/process-host.ts';
import { resolveHost } from '../render/resolve-host.ts';
import { openRightsFile } from '../rights/rights-file.ts';
import { garbageCollector } from '../threads/garbage.ts';
import { collectWhenIdle } from '../threads/idle-collection.ts';
import { agentCharts } from './agent-charts.ts';
import { agentKeyOf, type AgentKeySetup } from './agent-key-of.ts';
import { agentSealingKeys, agentSignatures, resultSignerOf } from './agent-signatures.ts';
import { agentSupport, type SupportSetup } from './agent-support.ts';
import { forgivingJournal } from './forgiving-journal.ts';
import { createIdentities } from './identities.ts';
import { leadership, leaseName } from './leadership.ts';
import { moduleUrl } from './module-url.ts';
import { operatedCluster } from './operated-cluster.ts';
import { programPostRenderers } from './post-renderers.ts';
import { containerMemoryMb, keepMemory } from './process-memory.ts';
import { openProcessMetrics } from './process-metrics.ts';
import { recoverAtStart, type RecoverAtStartOptions, type RecoverMode } from './recover-at-start.ts';
import { secretCredentials } from './secret-credentials.ts';
import { version } from './version.ts';
import { openWorkers, type TextLimitGroups } from './worker-threads.ts';

export interface AgentSetup extends AgentKeySetup, Omit<SupportSetup, 'agentId' | 'keyFile'> {
  cluster: ConnectionSource;
  controlPlaneUrl?: string | readonly string[] | undefined;
  /** Files for TLS with control planes. Default: the CAs of the system, and no certificate. */
  tlsFiles?: TlsFiles | undefined;
  /**
   * Names the proxies to control planes, repositories, registries and the API server of a
   * kubeconfig, in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. Default: none.
   */
  proxyEnv?: ProxyEnvironment | undefined;
  tokenFile?: string | undefined;
  /** File with the token of clients; see `readClientToken` of an agent. */
  listenTokenFile?: string | undefined;
  listen?: ListenAddress | undefined;
  listenInsecure?: boolean;
  /** Whether clients of the server get shells. Default: false. */
  listenExec?: boolean;
  /** Files for TLS of the server for clients. Default: it serves plain HTTP. */
  listenTlsFiles?: ServerTlsFiles | undefined;
  localCharts?: string | undefined;
  /** Addresses that downloads must not connect to, see `ChartSourceOptions`. Default: none. */
  denyAddresses?: readonly string[] | undefined;
  /** Whether commands with `enableDns` are refused. Default: false. */
  denyDns?: boolean;
  /** As in `AgentOptions`. */
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
  /**
   * Whether commands may read and change the namespace of the agent, where its journal and its
   * credentials are. Default: false.
   */
  allowOwnNamespace?: boolean;
  /** The rights whose commands are performed. Default: `defaultRights`. */
  allowedRights?: readonly Right[] | undefined;
  /**
   * File that maps commands to the service accounts that perform them. Default: the agent performs
   * all with its own rights.
   */
  rightsFile?: string | undefined;
  /** File with what the owner of the cluster allows. Default: everything. */
  policyFile?: string | undefined;
  /** File with the private key with which results are signed. Default: they are not signed. */
  resultKeyFile?: string | undefined;
  /** Age at which the key for sealed values is replaced, in milliseconds. Default: never. */
  sealingKeyRotation?: number | undefined;
  /**
   * Objects that templates may look up, unless a rule of the policy says it. Default: `release`.
   */
  lookup?: LookupScope | undefined;
  /**
   * Revisions whose hooks and manifests are used again: those that an agent of this namespace has
   * written, or those of all clients. `own` needs a journal in the cluster. Default: `any`.
   */
  trustReleases?: 'own' | 'any' | undefined;
  /** Where releases are stored. Default: `secret`. */
  storageDriver?: StorageDriver | undefined;
  /** Time limit of each chart download, in milliseconds. Default: 120,000. */
  downloadTimeoutMs?: number;
  /** Programs that commands may name as post-renderers, by name. Default: none. */
  postRenderers?: Readonly<Record<string, string>> | undefined;
  /** As in `AgentOptions`. */
  tracing?: AgentOptions['tracing'];
  /** Whether to access OCI registries over HTTP without TLS. Default: false. */
  plainHttp?: boolean;
}

/** Time for which watches continue without a user, in milliseconds. */
const watchLinger = 10_000;

/** Starts an agent together with its cluster, release storage, renderer and chart source. */
export async function agentOf(setup: AgentSetup): Promise<Agent> {
  const { log, limits = {}, memoryLimit = containerMemoryMb(), trustReleases = 'any' } = setup;
  const { storageDriver = 'secret' } = setup;
  if (trustReleases === 'own' && setup.journal !== 'cluster') {
    throw new Error('--trust-releases own needs --journal cluster: the key of the records is kept with the journal');
  }
  const memory = memoryLimit === undefined ? undefined : keepMemory(memoryLimit);
  const host = processHost();
  const metrics = setup.healthPort === undefined ? undefined : await openProcessMetrics(agentMetrics);
  metrics?.recorder.set('helm_agent_build_info', { version }, 1);
  const recorder = metrics?.recorder ?? silentRecorder();
  const lead = setup.election && leadership({ ...setup, times: setup.election, metrics, recorder });
  const cluster = connectCluster(setup.cluster, {
    random: Math.random,
    proxyEnv: setup.proxyEnv,
    onAttempt: requestCounter(recorder),
    ...(lead && { writeTimeLimit: lead.timeLeft }),
  });
  const operated = operatedCluster(cluster, cluster.namespace, setup);
  const rights = setup.rightsFile === undefined ? undefined : await openRightsFile(setup.rightsFile);
  const conditions = createThreadedEvaluator({ moduleUrl: moduleUrl('condition-thread') });
  const clusterTime = () => cluster.serverTime() ?? { earliest: Date.now(), latest: Date.now() };
  const policy =
    setup.policyFile === undefined ? undefined : await openPolicyFile(setup.policyFile, { ...conditions, clusterTime });
  const resultSigner = setup.resultKeyFile === undefined ? undefined : await resultSignerOf(setup.resultKeyFile, log);
  const workers = openWorkers({
    allowNunjucks: setup.allowNunjucks ?? false,
    limits,
    memoryLimitMb: memoryLimit,
    afterLarge: memory?.collect,
  });
  const idle = collectWhenIdle(workers.large.run, garbageCollector());
  const onUnreadable = (error: ReleaseError) => {
    log.warn({ code: error.code, reason: error.message }, 'skipped an unreadable release');
  };
  const onProblem = (message: string, fields: object) => {
    log.warn(fields, message);
  };
  const signingKey = new SigningKey({
    ...{ cluster, namespace: cluster.namespace, random: randomBytes, onProblem },
    isRequired: trustReleases === 'own',
  });
  const holder = { agentId: setup.agentId, instanceId: randomUUID() };
  const storageOf = (seen: Cluster) =>
    openStorage(storageDriver, {
      ...{ cluster: seen, host, holder, codec: workers.codec, onUnreadable },
      signingKey: () => signingKey.bytes,
    });
  const identities = createIdentities((account) => {
    const own = account === undefined ? undefined : cluster.as(account);
    const seen = own === undefined ? operated : operatedCluster(own, cluster.namespace, setup);
    return {
      ...{ account, access: own?.access, cluster: seen, storage: storageOf(seen) },
      tracker: createTracker(seen, { linger: watchLinger }),
      tillerRecords: tillerRecords({ cluster: seen, decode: workers.helm2Decoder, onUnreadable }),
    };
  });
  const { agentId } = setup;
  const { namespace } = cluster;
  const isUpgradable = setup.cluster === 'service-account' && setup.election !== undefined;
  const ownTracker = isUpgradable ? createTracker(cluster) : undefined;
  const ownPod = ownTracker && {
    ...{ agentId, namespace, name: hostname(), lease: leaseName(agentId), storageDriver, trustReleases },
    ...{ cluster, access: cluster.access, storage: storageOf(cluster), tracker: ownTracker },
  };
  const journaling = { cluster, namespace: cluster.namespace, agentId: setup.agentId, now: Date.now, onProblem };
  const plans = setup.journal === 'cluster' ? clusterPlans(journaling) : memoryPlans(host);
  const usedSignatures = agentSignatures(setup.journal, { cluster, namespace, agentId }, clusterTime);
  const listenTls = setup.listenTlsFiles && (await openServerTls(setup.listenTlsFiles, { log }));
  const key = agentKeyOf(setup, cluster);
  const tunnels = new TunnelSource();
  const shells = setup.listenExec === true ? new DirectStreams() : undefined;
  const charts = agentCharts({ ...setup, tunnels, workers, now: () => new Date(clusterTime().earliest) });
  const running: { agent?: Agent } = {};
  const support = await agentSupport(setup, {
    ...{ cluster, metrics },
    redactor: workers.redactor,
    agent: () => running.agent,
  });
  const operationHandlers = createCommandHandlers({
    source: charts.source,
    credentials: secretCredentials(cluster, cluster.namespace),
    run: idle.run,
    openStream: commandStreams(tunnels, shells),
    postRenderers: programPostRenderers(setup.postRenderers ?? {}, process.env['PATH']),
    plans,
    denyDns: setup.denyDns ?? false,
    runAs: (account, work) => identities.runAs(account, work),
    ownPod,
    shared: {
      trustReleases,
      lookup: setup.lookup ?? 'release',
      renderer: workers.renderer,
      redactor: workers.redactor,
      sealing: agentSealingKeys({ cluster, namespace, agentId }, setup.sealingKeyRotation),
      host,
      resolveHost,
      corrections: new CorrectionCounts(),
    },
  });
  const handlers = { ...operationHandlers, support_bundle: support.perform };
  // now, so that no command waits for it, and an update of the files does not mix two versions; but
  // those of terminals and logs with the first one, because many agents never have any
  const loaded = Object.entries(operations).filter(([type]) => !commandTable.find(type)?.definition.stream);
  await Promise.all(loaded.map(([, load]) => load()));
  const processId = randomUUID();
  const { recover: mode = setup.journal === 'cluster' ? 'auto' : 'report' } = setup;
  const start = async (term?: AbortSignal): Promise<Agent> => {
    const instanceId = randomUUID();
    const stopping = new AbortController();
    let report = () => Promise.resolve();
    const clusterHealth = new ClusterHealth({ probe: (signal) => cluster.answers(signal), now: () => new Date() });
    const journal = measuredJournal(
      setup.journal === 'cluster'
        ? createClusterJournal({ ...journaling, instanceId, processId, signingKey })
        : createMemoryJournal(undefined, Date.now),
      recorder,
    );
    const journalHealth = new ClusterHealth({ probe: (signal) => journal.isWritable(signal), now: () => new Date() });
    const started = await startAgent({
      ...setup,
      ...(lead && { healthPort: undefined }),
      metrics,
      recorder,
      tracing: support.tracing,
      journal: ownPod ? forgivingJournal(journal.journal, ownPod) : journal.journal,
      instanceId,
      processId,
      version,
      handlers,
      rights,
      policy,
      usedSignatures,
      resultSigner,
      tunnels,
      shells,
      key,
      clusterHealth,
      journalHealth,
      term,
      async onResumed(continued) {
        // the next command on such a release recovers it, as its account and within its limits
        if (rights !== undefined || policy !== undefined) return;
        const storage = storageOf(operated);
        const options: RecoverAtStartOptions = { ...setup, cluster: operated, storage, storageDriver, mode };
        const recover = () => recoverAtStart(options, continued, stopping.signal);
        if (mode === 'auto') await recover();
        else report = recover; // commands do not have to wait for it
      },
      random: Math.random,
      now: () => new Date(),
      readToken: setup.tokenFile === undefined ? undefined : tokenFile(setup.tokenFile),
      readClientToken: setup.listenTokenFile === undefined ? undefined : tokenFile(setup.listenTokenFile),
      readTls: setup.tlsFiles && tlsFiles(setup.tlsFiles),
      listenTls,
    });
    const reporting = report();
    const pause = (milliseconds: number, signal: AbortSignal) => sleep(milliseconds, undefined, { signal });
    const expiring = expirePlans({ plans, pause, onProblem }, stopping.signal);
    void clusterHealth.watch(stopping.signal);
    void journalHealth.watch(stopping.signal);
    return {
      ...started,
      async stop() {
        stopping.abort();
        await Promise.all([started.stop(), reporting, expiring]);
      },
    };
  };
  const agent = lead === undefined ? await start() : await lead.startAgent(start);
  running.agent = agent;
  return {
    ...agent,
    async stop() {
      await agent.stop();
      charts.close();
      await identities.close();
      await ownTracker?.close();
      await Promise.all([workers.close(), conditions.close(), cluster.close(), lead?.close()]);
      memory?.stop();
      idle.stop();
    },
  };
}
