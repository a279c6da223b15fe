import { lookup } from 'node:dns/promises';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ControlPlaneRecorder } from '../metrics/control-plane-metrics.ts';
import { silentRecorder } from '../metrics/metric-table.ts';
import type { Health } from '../net/health.ts';
import { defaultHeartbeat, type HeartbeatTimes } from '../net/heartbeat.ts';
import { createBoundedServer } from '../net/http-server.ts';
import { isLocalHost } from '../net/local-host.ts';
import type { ServerTls } from '../net/server-tls.ts';
import { createUpgradeListener } from '../net/websocket-server.ts';
import { isCommandType } from '../protocol/commands/index.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import { type CommandResult, maxRetryAfter } from '../protocol/messages.ts';
import { nonceBytes } from '../protocol/proof.ts';
import { isCommandStream } from '../protocol/streams/command-stream.ts';
import { keySubprotocol, subprotocol } from '../protocol/subprotocol.ts';
import { noTracing, type Tracing } from '../tracing/tracing.ts';
import type { UserAccess } from './access/authenticate-user.ts';
import { type Authorize, Guard, RefusedError } from './access/guard.ts';
import { UserTokens } from './access/user-tokens.ts';
import { type AgentHandshake, agentHandshake } from './agent-handshake.ts';
import { AgentRegistry } from './agent-registry.ts';
import { createApi } from './api.ts';
import { type AuditEntry, auditOf } from './audit/audit-entry.ts';
import { AuditLog } from './audit/audit-log.ts';
import { ConnectionNotes } from './audit/connection-notes.ts';
import { ChartArchives } from './charts/chart-archives.ts';
import { serveChart } from './charts/serve-chart.ts';
import { CommandIndex } from './command-index.ts';
import type { SendRequest } from './command-methods.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { Dispatcher } from './dispatcher.ts';
import { AgentKeys } from './enrolment/agent-keys.ts';
import type { CreatedEnrolment, EnrolmentOptions } from './enrolment/enrolment-options.ts';
import { ControlPlaneError } from './error.ts';
import type { Authenticate } from './identity.ts';
import { type KnownAgent, listKnownAgents } from './known-agent.ts';
import { type ControlPlaneLimits, defaultControlPlaneLimits } from './limits.ts';
import { type Logger, silentLog } from './logger.ts';
import type { CommandOutcome } from './result-feed.ts';
import { presence } from './rollouts/presence.ts';
import { rolloutSender } from './rollouts/rollout-sender.ts';
import { Rollouts } from './rollouts/rollouts.ts';
import type { SentCommand } from './sent-command.ts';
import { attendedStream } from './sessions/attended-stream.ts';
import { Recordings } from './sessions/recordings.ts';
import { type SessionRule, Sessions } from './sessions/sessions.ts';
import { IdentityProvider } from './sign-in/identity-provider.ts';
import type { SignInFile } from './sign-in/sign-in-file.ts';
import { UserSessions } from './sign-in/user-sessions.ts';
import type { CommandStore } from './store/command-store.ts';
import { createMemoryStore } from './store/memory-store.ts';
import { CommandStreams } from './streams/command-streams.ts';
import { isSessionPath, isStreamPath, type SessionListener, sessionListener } from './streams/session-listener.ts';
import { requireToken, type Token } from './token.ts';
import { feedItems } from './webhooks/webhook-events.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface ControlPlaneOptions {
  /**
   * Authenticates agents that have no key; `openAgentsFile` returns one for a file. Each agent must
   * have a credential of its own. Default: on addresses of this machine, and with `insecure`, an
   * agent without a key is who its `hello` says; elsewhere, only agents with a key are let in.
   */
  authenticate?: Authenticate | undefined;
  /**
   * Returns the ids of all agents that have a credential; `openAgentsFile` returns the function for
   * a file. Commands for these agents wait also if they were never connected, and `knownAgents`
   * lists them. Default: an agent is known after its first connection.
   */
  registeredAgents?: (() => Iterable<string>) | undefined;
  /**
   * Whether the credentials of agents could be read when they changed last, for `/readyz`;
   * `openAgentsFile` returns the function for a file. Default: they could.
   */
  areAgentsReadable?: (() => boolean) | undefined;
  /**
   * The token of an administrator of the REST API; other users have those of `tokens`. Default:
   * none; without a token, the API is served only if the control plane listens on an address of
   * this machine, and with `insecure`.
   */
  apiToken?: Token | undefined;
  /**
   * Authenticates users of the REST API in another way than by a token. Default: users have tokens.
   */
  authenticateUser?: UserAccess['authenticateUser'];
  /**
   * How people sign in; `openSignInFile` returns it. Requests without a token or a session are then
   * refused, also on addresses of this machine. Default: people have tokens.
   */
  signIn?: SignInFile | undefined;
  /**
   * Decides about what the roles of a user allow: returns false to refuse it. Default: it is
   * allowed.
   */
  authorize?: Authorize | undefined;
  /** Called with each entry of the audit log. Default: none; the store has the log. */
  audit?: ((entry: AuditEntry) => void) | undefined;
  /**
   * Serves agents and users without credentials also on a host that other machines can reach.
   * Default: false.
   */
  insecure?: boolean;
  /**
   * The certificate of the server that `listen` starts; `openServerTls` returns one for two files.
   * Default: it serves plain HTTP.
   */
  tls?: ServerTls | undefined;
  /** Number of connections, of agents and of users. Default: 10,000. */
  maxConnections?: number;
  /** Time for an agent to send `hello`, in milliseconds. Default: 10,000. */
  helloTimeoutMs?: number;
  /**
   * Keeps commands and results; `createSqliteStore` and `createPostgresStore` return one. It is
   * opened by `listen` or `attach`, and closed by `close`. Default: the memory of this process.
   */
  store?: CommandStore | undefined;
  /** Bounds of what agents and users can make it keep. Default: those of docs/limits.md. */
  limits?: Partial<ControlPlaneLimits>;
  /**
   * Folder for the charts that users upload, of this control plane alone. Charts that commands need
   * survive a restart there. Default: a temporary folder, which `close` removes.
   */
  chartFolder?: string | undefined;
  /**
   * Hosts to which webhooks may be sent without https, and whatever their addresses are. Default:
   * none; receivers need https and public addresses.
   */
  webhookHosts?: readonly string[] | undefined;
  /**
   * Folder of the dashboard, which is served to browsers at `/`. The program has one in
   * `dist/program/dashboard`. Default: none is served.
   */
  dashboard?: string | undefined;
  /** Folder for the recordings of sessions. Default: none; nothing can be recorded. */
  recordingFolder?: string | undefined;
  /**
   * The sessions with programs that are recorded: those with terminals, or all. One that cannot be
   * recorded is refused. Default: `off`.
   */
  recordSessions?: SessionRule | undefined;
  /**
   * The sessions with programs that begin only when a second person watches. Default: `off`.
   */
  requireSecond?: SessionRule | undefined;
  /** Default: nothing is logged. */
  log?: Logger;
  heartbeat?: HeartbeatTimes;
  /**
   * Takes measurements, for the `/metrics` of `helm-agent control-plane`. Default: they are
   * dropped.
   */
  recorder?: ControlPlaneRecorder | undefined;
  /** Begins spans for commands, for `helm-agent control-plane`. Default: none. */
  tracing?: Tracing | undefined;
  /** The version that agents get in `welcome`. */
  version?: string;
}

/** The clock, the randomness and the commands of a control plane. */
export interface ControlPlaneHost {
  table: CommandTable;
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
  newKey: () => string;
  randomBytes: (size: number) => Uint8Array;
}

/** The events of a control plane, with the arguments of their listeners. */
export interface ControlPlaneEvents {
  connect: [agent: ConnectedAgent];
  disconnect: [agent: ConnectedAgent];
  /** A command has a result, which is stored. */
  result: [command: SentCommand, result: CommandResult];
  /** Another cluster has shown the key of an agent, and was refused. */
  copy: [agentId: string];
}

/** Where an HTTP server accepts agents. */
export interface AttachOptions {
  /** Default: `/agents`. */
  path?: string;
}

/** Time for a user to upload a chart. */
const uploadTimeoutMs = 600_000;

type HttpServer = Server | HttpsServer;

/** The name in the audit log of who uses the library. */
const application = 'application';

/** Accepts agents, sends them commands and keeps their results. */
export class ControlPlaneServer extends EventEmitter<ControlPlaneEvents> {
  /**
   * Serves a request to the REST API, for a server of the application. It requires the option
   * `apiToken`.
   */
  readonly requestListener: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #options: ControlPlaneOptions;
  readonly #commands: CommandIndex;
  readonly #agents: AgentRegistry;
  readonly #charts: ChartArchives;
  readonly #keys: AgentKeys;
  readonly #knownAgents: () => KnownAgent[];
  /** The checks of `/livez` and `/readyz`. */
  readonly health: Health;
  /** The tokens of users of the REST API. */
  readonly tokens: UserTokens;
  /** The sessions of people. Undefined without the option `signIn`. */
  readonly sessions: UserSessions | undefined;
  /** The rollouts of releases over many clusters. */
  readonly rollouts: Rollouts;
  readonly #audit: AuditLog;
  readonly #connectionNotes: ConnectionNotes;
  readonly #webhooks: Webhooks;
  readonly #dispatcher: Dispatcher;
  readonly #server: HttpServer;
  readonly #handshake: AgentHandshake;
  readonly #upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly #streams: CommandStreams;
  readonly #attended: Sessions;
  readonly #recordings: Recordings;
  readonly #sessionListener: SessionListener;
  readonly #detachments: (() => void)[] = [];
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;
  /** The host that the server listens on; undefined before. */
  #host: string | undefined;

  constructor(options: ControlPlaneOptions, { table, now, monotonic, newKey, randomBytes }: ControlPlaneHost) {
    super();
    if ((options.recordSessions ?? 'off') !== 'off' && options.recordingFolder === undefined) {
      throw new TypeError('the option recordSessions needs a recordingFolder');
    }
    if ('agentToken' in options) {
      throw new TypeError('the option agentToken was removed: give each agent a credential with authenticate');
    }
    this.#options = options;
    const { heartbeat = defaultHeartbeat, helloTimeoutMs = 10_000, version = '', log = silentLog } = options;
    const { store = createMemoryStore(), recorder = silentRecorder() } = options;
    const limits = { ...defaultControlPlaneLimits, ...options.limits };
    const { server, trust } = createBoundedServer(options.maxConnections ?? 10_000, {
      requestTimeoutMs: uploadTimeoutMs,
      tls: options.tls,
    });
    this.#server = server;
    const commands: CommandIndex = new CommandIndex({
      ...{ table, store, limits, log, now },
      onResult: (command, result) => {
        const { handle, type } = command;
        const outcome = result.ok ? 'ok' : result.error.code;
        audit.add({ action: 'command ended', decision: 'allowed', outcome, ...auditOf(command) });
        const labels = {
          type: isCommandType(type) ? type : 'other',
          result: result.ok ? 'success' : 'failure',
        } as const;
        recorder.count('helm_agent_hub_commands_total', labels);
        this.#emitLater('result', handle, result);
      },
      cancel: (command, mode) => dispatcher.cancel(command, mode),
    });
    const audit = new AuditLog({
      ...{ store, limits, now, monotonic },
      onEntry: (entry) => options.audit && process.nextTick(options.audit, entry), // its errors break nothing
      write: (change) => commands.write(change),
    });
    const charts = new ChartArchives({
      folder: options.chartFolder,
      needed: () => new Set([...commands.allOpen().flatMap(({ record }) => record.chart ?? []), ...rollouts.charts()]),
      newId: newKey,
      maxBytes: limits.uploadBytes,
      reservedBytes: limits.reservedBytes,
    });
    const streams = new CommandStreams({ commands, table });
    const recordings = new Recordings({
      ...{ folder: options.recordingFolder, limits, now, monotonic },
      audit: (fields) => audit.add(fields),
    });
    const attended = new Sessions({
      ...{ table, recordings, record: options.recordSessions ?? 'off', requireSecond: options.requireSecond ?? 'off' },
      audit: (fields) => audit.add(fields),
    });
    const keys = new AgentKeys({
      ...{ now, monotonic, randomBytes, log, maxAgents: limits.knownAgents },
      keep: (entry) => commands.keep(entry),
      stored: () => commands.stored(),
      onCopy: (agentId) => this.#emitLater('copy', agentId),
      onEnrolled: (agentId, action) => audit.add({ action, agentId, decision: 'allowed', outcome: 'ok' }),
      onRefused: (agentId) => audit.addRefusal({ action: 'agent refused', agentId, outcome: 'unauthenticated' }),
    });
    const connectionNotes = new ConnectionNotes((agentId, isConnected) => {
      const action = isConnected ? 'agent connected' : 'agent disconnected';
      audit.add({ action, agentId, decision: 'allowed', outcome: 'ok' });
    });
    const source = () => keys.audience;
    const { webhookHosts: allowedHosts = [] } = options;
    const webhooks = new Webhooks({
      ...{ allowedHosts, source, log, now, newId: newKey, randomBytes },
      items: (feed, after, signal) => feedItems(feed, after, { commands, audit, source }, signal),
      newest: (feed) => (feed === 'results' ? commands.results.newest : audit.newest),
      async deliver(delivery, signal) {
        const { deliverWebhook } = await import('./webhooks/deliver-webhook.ts');
        const resolve = (host: string) => lookup(host, { all: true });
        return await deliverWebhook(delivery, { allowedHosts, resolve, now }, signal);
      },
      audit: (fields) => audit.add(fields),
      keep: (entry) => commands.keep(entry),
      stored: () => commands.stored(),
    });
    const agents: AgentRegistry = new AgentRegistry({
      ...{ commands, limits, heartbeat, helloTimeoutMs, log, now, newEpoch: newKey, version },
      whenStored: (stored) => commands.whenStored(stored),
      deliver: (command) => dispatcher.deliver(command),
      hasKey: (agentId) => keys.has(agentId),
      hasStream: (command) => streams.kindOf(command) !== undefined,
      acceptStream(agentId, header, stream) {
        if (isCommandStream(header)) {
          streams.accept(agentId, header, stream);
          return;
        }
        const isNeeded = (digest: string) => commands.openOf(agentId).some(({ record }) => record.chart === digest);
        serveChart(header, stream, { charts, isNeeded });
      },
      onDelivered(seconds, command) {
        recorder.observe('helm_agent_hub_command_delivery_seconds', {}, seconds);
        audit.add({ action: 'command delivered', decision: 'allowed', outcome: 'ok', ...auditOf(command) });
      },
      onConnect: (agent) => {
        recorder.count('helm_agent_hub_connections_total', {});
        connectionNotes.changed(agent.agentId, true);
        rollouts.onPresence(agent.agentId);
        this.#emitLater('connect', agent);
      },
      onDisconnect: (agent) => {
        connectionNotes.changed(agent.agentId, false);
        rollouts.onPresence(agent.agentId);
        this.#emitLater('disconnect', agent);
      },
    });
    const registered = () => options.registeredAgents?.() ?? [];
    const isRegistered = (agentId: string) => keys.has(agentId) || [...registered()].includes(agentId);
    const tokens = new UserTokens({
      ...{ table, now, monotonic, randomBytes },
      keep: (entry) => commands.keep(entry),
      stored: () => commands.stored(),
      onExpired: ({ id, name: user }) =>
        audit.add({ action: 'token expired', user, tokenId: id, decision: 'allowed', outcome: 'ok' }),
    });
    const { signIn: file } = options;
    const sessions =
      file &&
      new UserSessions({
        ...{ settings: file.settings, now, monotonic, randomBytes },
        keep: (entry) => commands.keep(entry),
        stored: () => commands.stored(),
        onEnded: ({ id, name: user }, reason) =>
          audit.add({ action: `session ended: ${reason}`, user, sessionId: id, decision: 'allowed', outcome: 'ok' }),
      });
    const labelsOf = (agentId: string) => {
      const { states = [], labels = {} } = keys.stateOf(agentId) ?? {};
      return states.length > 0 ? labels : undefined;
    };
    const guard = new Guard({
      ...{ table, authorize: options.authorize, labelsOf },
      commandOf: (key) => commands.get(key)?.record,
    });
    const dispatcher: Dispatcher = new Dispatcher({
      ...{ agents, commands, charts, guard, isRegistered, table, log, now, newKey },
      tracing: options.tracing ?? noTracing,
    });
    const rollouts: Rollouts = new Rollouts({
      ...{ table, guard, labelsOf, newKey, log, now: () => now().getTime() },
      agentIds: () => [...registered(), ...keys.knownIds(), ...commands.knownAgents().keys()],
      presenceOf: presence({ agents, commands, now }),
      keep: (entry) => commands.keep(entry),
      stored: () => commands.stored(),
      send: rolloutSender({ dispatcher, audit }),
    });
    this.#knownAgents = () => listKnownAgents({ agents, commands, registered, keys, now });
    this.#commands = commands;
    this.#agents = agents;
    this.#charts = charts;
    this.#streams = streams;
    this.#attended = attended;
    this.#recordings = recordings;
    this.#keys = keys;
    this.#dispatcher = dispatcher;
    this.tokens = tokens;
    this.rollouts = rollouts;
    this.#audit = audit;
    this.#connectionNotes = connectionNotes;
    this.#webhooks = webhooks;
    const { apiToken: token, authenticateUser } = options;
    const signIn = file &&
      sessions && {
        settings: file.settings,
        sessions,
        provider: new IdentityProvider({ settings: file.settings, log }),
      };
    if (file && sessions) this.#detachments.push(file.onChange(() => sessions.refresh()));
    this.sessions = sessions;
    const access = { token, tokens, signIn, authenticateUser, openHost: () => this.#openHost(), trust };
    const { requestBytes, unreadBytes, uploadWaitMs } = limits;
    const { areAgentsReadable = () => true } = options;
    this.health = {
      live: () => [],
      ready: () => [
        { name: 'store', isOk: commands.isAvailable },
        // the agents of the last file come and go, so they are not sent elsewhere for this
        { name: 'agents-file', isOk: true, ...(!areAgentsReadable() && { detail: 'not readable' }) },
        // people keep the roles that it gave them last
        ...(file ? [{ name: 'sign-in-file', isOk: true, ...(!file.isReadable() && { detail: 'not readable' }) }] : []),
      ],
    };
    this.#detachments.push(recorder.onScrape(() => this.#measure(recorder)));
    const backend = {
      health: this.health,
      table,
      ...{ keys, tokens, rollouts, guard, audit, recordings, signIn, webhooks },
      ...{
        agents: this.#knownAgents,
        commands,
        streams,
        charts,
        dispatcher,
        areAgentsReadable,
        requestBytes,
        unreadBytes,
      },
      uploadWaitMs,
      dashboard: options.dashboard,
    };
    this.requestListener = createApi(backend, access, log);
    this.#handshake = agentHandshake({
      ...{ keys, heartbeat, log, trust, authenticate: options.authenticate, timeoutMs: helloTimeoutMs },
      newNonce: () => Buffer.from(randomBytes(nonceBytes)).toString('base64url'),
      openHost: () => this.#openHost(),
      isBehind: () => commands.isBehind,
      serve: (agent) => agents.serve(agent),
    });
    this.#upgrade = createUpgradeListener({
      ...{ peer: 'an agent', subprotocols: [keySubprotocol, subprotocol], log, decide: this.#handshake.decide },
    });
    this.#sessionListener = sessionListener({ commands, streams, sessions: attended, access, guard, audit, log });
    this.#server.on('request', this.requestListener);
    this.#server.on('upgrade', (request, socket, head) => {
      const serve = isSessionPath(request.url) ? this.#sessionListener.upgrade : this.#upgrade;
      serve(request, socket, head);
    });
  }

  /**
   * Opens the store, starts to serve agents and the REST API, and returns the port that is bound.
   * Rejects with `ControlPlaneError` `token_unreadable` and `store_unavailable`, and with Node's
   * error if the port cannot be bound.
   */
  async listen(port: number, host = '127.0.0.1'): Promise<number> {
    const { apiToken } = this.#options;
    if (apiToken !== undefined) await requireToken(apiToken);
    await this.#open();
    this.#host = host;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /**
   * Opens the store, and accepts agents on a server of the application until `close` is called, and
   * the WebSockets of users for the streams of commands. The server's other paths stay as they are.
   * Without `authenticate`, only agents with a key are let in. Rejects with `ControlPlaneError`
   * `store_unavailable`.
   */
  async attach(server: HttpServer, { path = '/agents' }: AttachOptions = {}): Promise<void> {
    await this.#open();
    const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (request.url?.split('?')[0] === path) this.#upgrade(request, socket, head);
      else if (isStreamPath(request.url)) this.#sessionListener.upgrade(request, socket, head);
      else if (server.listenerCount('upgrade') === 1) socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    };
    server.on('upgrade', onUpgrade);
    this.#detachments.push(() => server.off('upgrade', onUpgrade));
  }

  /**
   * Closes all connections and the store. Running commands continue in their agents, which connect
   * again after `retryAfter` seconds, or up to twice as many, so that they do not all come at once.
   */
  async close({ retryAfter = 1 }: { retryAfter?: number } = {}): Promise<void> {
    this.#closing.abort();
    for (const detach of this.#detachments.splice(0)) detach();
    this.#connectionNotes.close();
    this.rollouts.close();
    this.#dispatcher.close();
    this.#handshake.close();
    this.#sessionListener.close();
    const left = this.#agents.closeAll(Math.min(Math.max(retryAfter, 0), maxRetryAfter));
    if (this.#server.listening) {
      const closed = once(this.#server, 'close');
      this.#server.close();
      this.#server.closeAllConnections();
      await closed;
    }
    await left;
    await this.#recordings.close();
    this.tokens.close();
    this.sessions?.close();
    await this.#webhooks.close();
    this.#audit.close();
    await this.#opening?.catch(() => undefined);
    await this.#commands.close();
    await this.#charts.close();
  }

  /** Returns the agents that are connected, sorted by id. */
  agents(): ConnectedAgent[] {
    return this.#agents.list();
  }

  /** Returns the agents that are connected, were connected, or are registered, sorted by id. */
  knownAgents(): KnownAgent[] {
    return this.#knownAgents();
  }

  /** Resolves when the agent is connected. Rejects with the signal's reason. */
  waitForAgent(agentId: string, signal?: AbortSignal): Promise<ConnectedAgent> {
    return this.#agents.arrival(agentId, signal);
  }

  /**
   * Forgets an agent that will not come back, as when its cluster was deleted. Its commands that
   * have no result end with `agent_forgotten`; their number is returned when that is stored. An
   * agent with the id that connects later is a new one. Rejects with `ControlPlaneError`
   * `agent_connected`, `agent_not_found` and `store_unavailable`.
   */
  async forgetAgent(agentId: string): Promise<number> {
    await this.#opening;
    const ended = await this.#dispatcher.forgetAgent(agentId);
    this.#auditOwn('forgetAgent', agentId);
    return ended;
  }

  /**
   * Invites an agent: returns a token with which it can enrol a key of its own, once. If the agent
   * has a key, that one ends then. Rejects with `ControlPlaneError` `bad_request`, `busy` and
   * `store_unavailable`.
   */
  async createEnrolment(options: EnrolmentOptions): Promise<CreatedEnrolment> {
    await this.#opening;
    const created = await this.#keys.create(options);
    this.#auditOwn('createEnrolment', options.agentId);
    return created;
  }

  /**
   * Lets an agent in that has enrolled with `needsConsent`. Rejects with `ControlPlaneError`
   * `agent_not_found`.
   */
  async acceptAgent(agentId: string): Promise<void> {
    await this.#opening;
    await this.#keys.accept(agentId);
    this.#auditOwn('acceptAgent', agentId);
  }

  /**
   * Ends the key and the token of an agent at once, and its connections. Rejects with
   * `ControlPlaneError` `agent_not_found`.
   */
  async revokeAgent(agentId: string): Promise<void> {
    await this.#opening;
    await this.#keys.revoke(agentId);
    this.#auditOwn('revokeAgent', agentId);
  }

  /** Returns the command with the key, or undefined if it is not known or was forgotten. */
  command(key: string): SentCommand | undefined {
    return this.#commands.get(key)?.handle;
  }

  /**
   * Returns the results of all commands, from the first that is not marked as delivered, until the
   * signal aborts. A result is marked when the next one is asked for, so one that was not processed
   * is returned again after a restart.
   */
  async *results(signal?: AbortSignal): AsyncGenerator<CommandOutcome> {
    await this.#opening;
    for await (const outcome of this.#commands.results.after(undefined, signal)) {
      yield outcome;
      this.#commands.results.markDelivered(outcome.id);
    }
  }

  /**
   * Sends any command that the agent knows. A known key returns the command that has it. Throws
   * `ControlPlaneError` with `agent_not_connected`, `unknown_command`, `key_reused`, `too_large`,
   * `busy`, `store_unavailable`, `chart_not_found` and `bad_request`.
   */
  send(agentId: string, request: SendRequest): SentCommand {
    const user = request.principal?.name ?? request.sentBy ?? application;
    try {
      const command = this.#dispatcher.send(agentId, request);
      this.#audit.add({ action: 'send', user, decision: 'allowed', outcome: 'ok', ...auditOf(command) });
      return command.handle;
    } catch (error) {
      if (error instanceof RefusedError) {
        this.#audit.addRefusal({ action: 'send', user, outcome: error.code, agentId, type: request.type });
      }
      throw error;
    }
  }

  /**
   * Waits until the agent has opened the stream of the command with the key, and returns it: bytes
   * of the agent, or messages in both directions as docs/protocol.md describes them. Destroying it
   * ends the command. Each stream has one reader. Rejects with `ControlPlaneError`
   * `command_not_found`, `unsupported`, `stream_taken`, `stream_ended` and `recording_failed`, with
   * `timeout` if no second person has joined, and with the signal's reason, which also destroys the
   * stream.
   */
  async openStream(key: string, signal?: AbortSignal): Promise<Duplex> {
    const command = this.#commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    const ended = signal ?? new AbortController().signal;
    const taken = await this.#streams.take(command, ended);
    const attendance = await this.#attended.begin({ command, ...taken, signal: ended });
    return attendance ? attendedStream(taken.stream, attendance) : taken.stream;
  }

  /**
   * Stores the archive of a chart, and returns its digest for the parameter `chartUpload` of
   * commands. Rejects with `ControlPlaneError` `too_large` and `busy`.
   */
  async uploadChart(archive: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
    await this.#opening;
    return this.#charts.receive(archive instanceof Uint8Array ? slicesOf(archive) : archive);
  }

  /** Notes what the application has done to an agent. */
  #auditOwn(action: string, agentId: string): void {
    this.#audit.add({ action, user: application, agentId, decision: 'allowed', outcome: 'ok' });
  }

  async #open(): Promise<void> {
    this.#opening ??= this.#openAll();
    await this.#opening;
  }

  async #openAll(): Promise<void> {
    const { entries = [], lastAudit } = await this.#commands.open(this.#closing.signal);
    this.#audit.open(lastAudit);
    this.#keys.open(entries);
    this.tokens.open(entries);
    this.sessions?.open(entries);
    this.#webhooks.open(entries);
    await this.#charts.open();
    await this.#recordings.open();
    this.#dispatcher.start();
    this.rollouts.open(entries);
  }

  /** Sets the gauges. */
  #measure(recorder: ControlPlaneRecorder): void {
    const connected = this.#agents.list().length;
    const open = Map.groupBy(this.#commands.allOpen(), ({ state }) => state);
    recorder.set('helm_agent_hub_agents', { state: 'connected' }, connected);
    recorder.set('helm_agent_hub_agents', { state: 'disconnected' }, this.#knownAgents().length - connected);
    for (const state of ['waiting', 'sent', 'accepted'] as const) {
      recorder.set('helm_agent_hub_commands_open', { state }, open.get(state)?.length ?? 0);
    }
    recorder.set('helm_agent_hub_store_available', {}, Number(this.#commands.isAvailable));
  }

  /** Calls listeners in a turn of their own, so that their errors break nothing. */
  #emitLater<Name extends keyof ControlPlaneEvents>(name: Name, ...values: ControlPlaneEvents[Name]): void {
    if (this.listenerCount(name) > 0) process.nextTick(() => this.emit(name, ...(values as never))); // as the event has them
  }

  /** Returns the host if requests without a token are served. */
  #openHost(): string | undefined {
    const host = this.#host;
    return host !== undefined && (isLocalHost(host) || this.#options.insecure === true) ? host : undefined;
  }
}

/** Bytes that are hashed before the event loop turns. */
const sliceBytes = 1024 * 1024;

async function* slicesOf(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < archive.length; start += sliceBytes) {
    yield await Promise.resolve(archive.subarray(start, start + sliceBytes));
  }
}
