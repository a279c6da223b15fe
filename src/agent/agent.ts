import { retry } from '../async/index.ts';
import { messageOf } from '../errors/index.ts';
import { createMemoryJournal, type Journal } from '../journal/index.ts';
import type { AgentRecorder } from '../metrics/agent-metrics.ts';
import { silentRecorder } from '../metrics/metric-table.ts';
import { areOk, type Health } from '../net/health.ts';
import { type MetricsText, startHealthServer } from '../net/health-server.ts';
import { defaultHeartbeat, type HeartbeatTimes } from '../net/heartbeat.ts';
import type { ServerTls } from '../net/server-tls.ts';
import type { Policy } from '../policy/policy-file.ts';
import type { Right } from '../protocol/commands/definition.ts';
import { commandTable } from '../protocol/commands/index.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import { maxPacketBytes } from '../protocol/limits.ts';
import type { Hello } from '../protocol/messages.ts';
import { FrameTurns } from '../protocol/session/frame-turns.ts';
import type { Rights } from '../rights/rights-file.ts';
import type { LocalSigner } from '../signatures/signer.ts';
import type { UsedSignatures } from '../signatures/used-signatures.ts';
import { noTracing, type Tracing } from '../tracing/tracing.ts';
import type { ClusterHealth } from './cluster-health.ts';
import type { HandlersByType } from './commands/command-handler.ts';
import { backoffDelay, type BackoffTimes, defaultBackoff } from './connection/backoff.ts';
import { Channel, type WaitingLimits } from './connection/channel.ts';
import type { ListenAddress } from './connection/listen-address.ts';
import { listen } from './connection/listener.ts';
import type { DirectStreams } from './connection/raw-shell.ts';
import type { TlsSource } from './connection/tls-files.ts';
import type { TokenSource } from './connection/token-file.ts';
import type { TunnelSource } from './connection/tunnel-source.ts';
import { Uplink, type UplinkOptions } from './connection/uplink.ts';
import type { AgentKey } from './key/agent-key.ts';
import type { Logger } from './logger.ts';
import { Router } from './router/router.ts';

export interface AgentOptions {
  agentId: string;
  /** Id of this process in its term as the leader; each term has another one. */
  instanceId: string;
  /** Id of this process in all its terms. Default: `instanceId`. */
  processId?: string | undefined;
  version: string;
  /** The commands that the agent knows. Default: those of helm-agent. */
  table?: CommandTable;
  /** A handler for each of these commands. */
  handlers: HandlersByType;
  /** The rights whose commands are performed. Default: `defaultRights`. */
  allowedRights?: readonly Right[] | undefined;
  /** Default: one in memory. */
  journal?: Journal | undefined;
  /** Maps commands to the service accounts that perform them. Default: the agent performs them. */
  rights?: Rights | undefined;
  /** The policy of the owner of the cluster. Default: everything is allowed. */
  policy?: Policy | undefined;
  /** Signs results. Default: they are not signed. */
  resultSigner?: LocalSigner | undefined;
  /** As in `RouterOptions`. */
  usedSignatures?: UsedSignatures | undefined;
  log: Logger;
  /** Returns numbers from 0 up to 1. */
  random: () => number;
  now: () => Date;
  /** Reads the token that the agent sends to the control plane. Default: no token. */
  readToken?: TokenSource | undefined;
  /** The key that the agent proves to control planes, which then get no token. Default: none. */
  key?: AgentKey | undefined;
  /**
   * Reads the token that clients must send. Default: that of `readToken` if there is no control
   * plane, which sees that one, or with `listenInsecure`; otherwise no token.
   */
  readClientToken?: TokenSource | undefined;
  /**
   * The WebSocket URL of the control plane, or several, in the order in which they are tried.
   * Default: the agent does not dial.
   */
  controlPlaneUrl?: string | readonly string[] | undefined;
  /** Reads the CAs and the client certificate for control planes. Default: those of the system. */
  readTls?: TlsSource | undefined;
  /** Names the proxy to control planes, in `HTTPS_PROXY` and `NO_PROXY`. Default: none. */
  proxyEnv?: UplinkOptions['proxyEnv'];
  /** The address on which to serve clients. Default: the agent does not listen. */
  listen?: ListenAddress | undefined;
  /** Allows listening without a token on a host that other machines can reach. Default: false. */
  listenInsecure?: boolean;
  /** Serves shells at `/container/exe-cmd`. Default: they are not served. */
  shells?: DirectStreams | undefined;
  /** The certificate of the server for clients. Default: it serves plain HTTP. */
  listenTls?: ServerTls | undefined;
  /** Port for `/livez`, `/readyz` and `/metrics` on all addresses. Default: they are not served. */
  healthPort?: number | undefined;
  /** The text of `/metrics`. Default: it is not served. */
  metrics?: MetricsText | undefined;
  /** Takes measurements. Default: they are dropped. */
  recorder?: AgentRecorder | undefined;
  /** Begins spans for commands. Default: none. */
  tracing?: Tracing | undefined;
  /**
   * Called before commands can arrive, with the keys of the releases whose commands are continued.
   * Must not reject. Default: nothing is done.
   */
  onResumed?: ((releases: ReadonlySet<string>) => Promise<void>) | undefined;
  /**
   * Aborts when another process may do the work of this one. Operations are then left as they are,
   * and results are not sent unless they are journaled. Default: never.
   */
  term?: AbortSignal | undefined;
  /** Gets the tunnel of each connection to the control plane. Default: the agent has no streams. */
  tunnels?: TunnelSource | undefined;
  /** State of the cluster, which control planes and `/readyz` get. Default: it is not sent. */
  clusterHealth?: ClusterHealth | undefined;
  /** Whether the journal can be written, for `/readyz`. Default: it can. */
  journalHealth?: ClusterHealth | undefined;
  times?: Partial<AgentTimes>;
  /** How many replies may wait for a peer. Default: 20,000, and 64 Mi characters. */
  waiting?: WaitingLimits;
}

interface AgentTimes {
  heartbeat: HeartbeatTimes;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  /** Time by which an attempt to connect may be late before `/healthz` responds with 503. */
  slackMs: number;
  /** Time for operations to undo their changes when the agent stops. */
  graceMs: number;
  /** Time for the last replies to arrive. */
  deliveryMs: number;
}

const defaultTimes: AgentTimes = {
  heartbeat: defaultHeartbeat,
  backoff: defaultBackoff,
  handshakeTimeoutMs: 10_000,
  slackMs: 30_000,
  graceMs: 20_000,
  deliveryMs: 3000,
};

/** Status packets that are kept for a peer that is disconnected or slow. */
const maxWaitingStatuses = 1000;

export interface Agent {
  /** The port for clients; undefined if the agent does not listen. */
  readonly port: number | undefined;
  /** The port for probes; undefined if they are not served. */
  readonly healthPort: number | undefined;
  /** The checks of `/livez` and `/readyz`. */
  readonly health: Health;
  /** Whether commands can arrive and be performed: all checks of `/readyz` hold. */
  isReady(): boolean;
  /**
   * Refuses new commands, parks those that the journal keeps for the next process, cancels all
   * others, sends their results and closes the connections.
   */
  stop(): Promise<void>;
}

/** Starts an agent. Rejects if it cannot listen, or if its term ends before it has started. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const {
    log,
    table = commandTable,
    handlers,
    allowedRights,
    rights,
    policy,
    readToken,
    controlPlaneUrl,
    instanceId,
    term,
    journal = createMemoryJournal(undefined, () => options.now().getTime()),
  } = options;
  const times = { ...defaultTimes, ...options.times };
  const { recorder = silentRecorder() } = options;
  const router = new Router({
    table,
    handlers,
    allowedRights,
    rights,
    policy,
    agentId: options.agentId,
    usedSignatures: options.usedSignatures,
    journal,
    log,
    instanceId,
    now: options.now,
    recorder,
    tracing: options.tracing ?? noTracing,
  });
  const abandon = () => router.abandon();
  term?.addEventListener('abort', abandon, { once: true });
  await resumeCommands(router, times.backoff, options);
  const channelOptions = {
    hello: { ...helloOf(options, table), ...(journal.durable && { durable: true }) },
    table,
    router,
    log,
    heartbeat: times.heartbeat,
    turns: new FrameTurns(),
    maxStatuses: maxWaitingStatuses,
    waiting: options.waiting,
    clusterHealth: options.clusterHealth,
    resultSigner: options.resultSigner,
  };
  const { tunnels } = options;
  if (controlPlaneUrl === undefined) tunnels?.connect(false);
  const uplink = controlPlaneUrl === undefined ? undefined : new Channel({ ...channelOptions, resumes: true, tunnels });
  const dialer =
    uplink && controlPlaneUrl !== undefined
      ? new Uplink({ ...options, ...times, urls: [controlPlaneUrl].flat(), channel: uplink, log, readToken, recorder })
      : undefined;
  const { readClientToken } = options;
  const sharesToken = controlPlaneUrl === undefined || options.listenInsecure === true;
  const health = healthOf(options, uplink, dialer);
  const { healthPort, metrics } = options;
  const probes = healthPort === undefined ? undefined : await startHealthServer(healthPort, health, metrics);
  const listener =
    options.listen &&
    (await listen({
      address: options.listen,
      insecure: options.listenInsecure ?? false,
      tls: options.listenTls,
      readToken: readClientToken ?? (sharesToken ? readToken : undefined),
      channel: channelOptions,
      shells: options.shells,
      health,
    }).catch((error: unknown) => {
      probes?.close();
      throw error;
    }));

  const stopping = new AbortController();
  const dialling = dialer?.run(stopping.signal);
  const endScrapes = recorder.onScrape(() => {
    recorder.set('helm_agent_connected', {}, Number(uplink?.isConnected ?? false));
    recorder.set('helm_agent_leader', {}, 1);
    recorder.set('helm_agent_cluster_reachable', {}, Number(options.clusterHealth?.state?.reachable ?? false));
    recorder.set('helm_agent_journal_writable', {}, Number(options.journalHealth?.state?.reachable ?? true));
    recorder.set('helm_agent_commands_running', {}, router.commands.running);
    recorder.set('helm_agent_commands_waiting', {}, router.commands.waiting);
  });

  return {
    port: listener?.port,
    healthPort: probes?.port,
    health,
    isReady: () => areOk(health.ready()),
    async stop() {
      endScrapes();
      term?.removeEventListener('abort', abandon);
      listener?.stopListening();
      await router.close(times.graceMs);
      await Promise.all([uplink?.delivered(times.deliveryMs), listener?.close(times.deliveryMs)]);
      stopping.abort();
      await uplink?.hangUp();
      await dialling;
      await options.key?.settled();
      probes?.close();
    },
  };
}

/** Returns the checks of an agent. A connection whose peer is silent is closed, so one is fresh. */
function healthOf(
  { clusterHealth, journalHealth }: AgentOptions,
  uplink: Channel | undefined,
  dialer: Uplink | undefined,
): Health {
  const checks = (name: string, health: ClusterHealth | undefined) =>
    health === undefined ? [] : [{ name, isOk: health.state?.reachable === true }];
  return {
    live: () => (dialer === undefined ? [] : [{ name: 'reconnection', isOk: dialer.isAlive }]),
    ready: () => [
      ...(uplink === undefined ? [] : [{ name: 'control-plane', isOk: uplink.isConnected }]),
      ...checks('api-server', clusterHealth),
      ...checks('journal', journalHealth),
    ],
  };
}

/** Continues the commands of an earlier process. Waits until the journal can be read. */
async function resumeCommands(
  router: Router,
  backoff: BackoffTimes,
  { log, random, term, onResumed }: AgentOptions,
): Promise<void> {
  await retry(() => router.resume(onResumed), {
    pauses: (failures) => backoffDelay(failures, backoff, random),
    canRetry: () => term?.aborted !== true,
    onRetry(error, attempt) {
      const reason = messageOf(error);
      log.warn({ reason, attempt }, 'cannot read the journal; the agent accepts no commands until it can');
    },
    signal: term,
  });
}

function helloOf(
  { agentId, instanceId, processId = instanceId, version, clusterHealth, term }: AgentOptions,
  { types }: CommandTable,
): Hello {
  const limits = { maxPacketBytes };
  const packets = ['log', 'journaled', ...(clusterHealth ? ['health'] : [])];
  const ids = { agentId, instanceId, processId };
  return {
    ...ids,
    version,
    capabilities: [...types],
    limits,
    packets,
    packetFields: ['sentBy', 'traceparent', 'envelope'],
    ...(term && { elected: true }),
  };
}
