import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Health } from '../net/health.ts';
import { createBoundedServer } from '../net/http-server.ts';
import { isLocalHost } from '../net/local-host.ts';
import { createUpgradeListener } from '../net/websocket-server.ts';
import { maxRetryAfter } from '../protocol/messages.ts';
import { nonceBytes } from '../protocol/proof.ts';
import { keySubprotocol, subprotocol } from '../protocol/subprotocol.ts';
import { RefusedError } from './access/guard.ts';
import type { UserTokens } from './access/user-tokens.ts';
import { type AgentHandshake, agentHandshake } from './agent-handshake.ts';
import { createApi } from './api.ts';
import { Arrivals } from './arrivals.ts';
import { auditOf } from './audit/audit-entry.ts';
import { noteRestored } from './backup.ts';
import type { SendRequest } from './command-methods.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { setGauges } from './control-plane-gauges.ts';
import type {
  AttachOptions,
  ControlPlaneEvents,
  ControlPlaneHost,
  ControlPlaneOptions,
} from './control-plane-options.ts';
import { type ControlPlaneParts, createParts } from './control-plane-parts.ts';
import type { CreatedEnrolment, EnrolmentOptions } from './enrolment/enrolment-options.ts';
import { ControlPlaneError } from './error.ts';
import { type KnownAgent } from './known-agent.ts';
import { defaultMaxConnections, uploadTimeoutMs } from './limits.ts';
import { Replica } from './replicas/replica.ts';
import type { CommandOutcome } from './result-feed.ts';
import type { Rollouts } from './rollouts/rollouts.ts';
import type { SentCommand } from './sent-command.ts';
import { attendedStream } from './sessions/attended-stream.ts';
import { IdentityProvider } from './sign-in/identity-provider.ts';
import type { UserSessions } from './sign-in/user-sessions.ts';
import type { StoredEntry } from './store/command-store.ts';
import { isSessionPath, isStreamPath, type SessionListener, sessionListener } from './streams/session-listener.ts';
import { requireToken } from './token.ts';

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
  readonly #parts: ControlPlaneParts;
  /** The checks of `/livez` and `/readyz`. */
  readonly health: Health;
  /** The tokens of users of the REST API. */
  readonly tokens: UserTokens;
  /** The sessions of people. Undefined without the option `signIn`. */
  readonly sessions: UserSessions | undefined;
  /** The rollouts of releases over many clusters. */
  readonly rollouts: Rollouts;
  readonly #server: HttpServer;
  /** Undefined if connections are not relayed. */
  readonly #replica: Replica | undefined;
  readonly #handshake: AgentHandshake;
  readonly #upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly #sessionListener: SessionListener;
  readonly #detachments: (() => void)[] = [];
  readonly #closing = new AbortController();
  /** Whether the store was not read yet, or could not be. */
  #isUnread = true;
  #opening: Promise<void> | undefined;
  #listening: Promise<number> | undefined;
  /** The host that the server listens on; undefined before. */
  #host: string | undefined;

  constructor(options: ControlPlaneOptions, host: ControlPlaneHost) {
    super();
    if ((options.recordSessions ?? 'off') !== 'off' && options.recordingFolder === undefined) {
      throw new TypeError('the option recordSessions needs a recordingFolder');
    }
    if ('agentToken' in options) {
      throw new TypeError('the option agentToken was removed: give each agent a credential with authenticate');
    }
    this.#options = options;
    const parts = createParts(options, host, (name, ...values) => this.#emitLater(name, ...values));
    this.#parts = parts;
    const { log, recorder, limits, commands, agents, streams, keys, guard, audit, tokens, sessions, rollouts } = parts;
    const { tls, maxConnections = defaultMaxConnections } = options;
    const { server, trust } = createBoundedServer(maxConnections, { requestTimeoutMs: uploadTimeoutMs, tls });
    this.#server = server;
    const { places } = options.store ?? {};
    this.#replica =
      places &&
      new Replica({
        ...{ server, places, maxConnections, log, randomBytes: host.randomBytes },
        isEncrypted: tls !== undefined,
      });
    this.tokens = tokens;
    this.sessions = sessions;
    this.rollouts = rollouts;
    const { apiToken: token, authenticateUser, signIn: file } = options;
    const signIn = file &&
      sessions && {
        settings: file.settings,
        sessions,
        provider: new IdentityProvider({ settings: file.settings, log }),
      };
    if (file && sessions) this.#detachments.push(file.onChange(() => sessions.refresh()));
    const access = { token, tokens, signIn, authenticateUser, openHost: () => this.#openHost(), trust };
    const { requestBytes, unreadBytes, uploadWaitMs } = limits;
    const { areAgentsReadable = () => true } = options;
    this.health = {
      live: () => [],
      ready: () =>
        this.#replica?.health() ?? [
          { name: 'store', isOk: commands.isAvailable },
          // the agents of the last file come and go, so they are not sent elsewhere for this
          { name: 'agents-file', isOk: true, ...(!areAgentsReadable() && { detail: 'not readable' }) },
          // people keep the roles that it gave them last
          ...(file
            ? [{ name: 'sign-in-file', isOk: true, ...(!file.isReadable() && { detail: 'not readable' }) }]
            : []),
        ],
    };
    this.#detachments.push(recorder.onScrape(() => setGauges(recorder, parts)));
    const backend = {
      health: this.health,
      table: host.table,
      ...parts,
      ...{ agents: parts.knownAgents, signIn, areAgentsReadable, requestBytes, unreadBytes, uploadWaitMs },
      dashboard: options.dashboard,
    };
    this.requestListener = createApi(backend, access, log);
    this.#handshake = agentHandshake({
      ...{ keys, log, trust, heartbeat: parts.heartbeat, timeoutMs: parts.helloTimeoutMs },
      authenticate: options.authenticate,
      newNonce: () => Buffer.from(host.randomBytes(nonceBytes)).toString('base64url'),
      openHost: () => this.#openHost(),
      isBehind: () => commands.isBehind,
      arrivals: new Arrivals({
        ...{ perSecond: limits.arrivals, greeting: () => agents.greeting, monotonic: host.monotonic },
      }),
      serve: (agent) => agents.serve(agent),
    });
    this.#upgrade = createUpgradeListener({
      ...{ peer: 'an agent', subprotocols: [keySubprotocol, subprotocol], log, decide: this.#handshake.decide },
      signal: this.#closing.signal,
    });
    this.#sessionListener = sessionListener({ commands, streams, sessions: parts.attended, access, guard, audit, log });
    this.#server.on('request', this.requestListener);
    this.#server.on('upgrade', (request, socket, head) => {
      const serve = isSessionPath(request.url) ? this.#sessionListener.upgrade : this.#upgrade;
      serve(request, socket, head);
    });
  }

  /**
   * Opens the store, starts to serve agents and the REST API, and returns the port that is bound.
   * Until a store with `places` is open, connections are relayed to the control plane that leads.
   * Rejects with `ControlPlaneError` `token_unreadable` and `store_unavailable`, also if `close` is
   * called before the store is open, and with Node's error if the port cannot be bound.
   */
  async listen(port: number, host = '127.0.0.1'): Promise<number> {
    return await (this.#listening = this.#listen(port, host));
  }

  async #listen(port: number, host: string): Promise<number> {
    const { apiToken } = this.#options;
    if (apiToken !== undefined) await requireToken(apiToken);
    this.#host = host;
    await this.#replica?.wait(port, host);
    await this.#open();
    if (this.#replica) await this.#replica.lead(host);
    else await once(this.#server.listen(port, host), 'listening');
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  /**
   * Opens the store, and accepts agents on a server of the application until `close` is called, and
   * the WebSockets of users for the streams of commands. The server's other paths stay as they are.
   * Without `authenticate`, only agents with a key are let in. Rejects with `ControlPlaneError`
   * `store_unavailable`, also if `close` is called before the store is open.
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
    this.#closing.abort(new ControlPlaneError('store_unavailable', 'the control plane is closed'));
    await Promise.allSettled([this.#listening, this.#opening]); // all that they open is closed next
    for (const detach of this.#detachments.splice(0)) detach();
    this.#parts.connectionNotes.close();
    this.rollouts.close();
    this.#parts.dispatcher.close();
    this.#handshake.close();
    this.#sessionListener.close();
    const left = this.#parts.agents.closeAll(Math.min(Math.max(retryAfter, 0), maxRetryAfter));
    if (this.#server.listening) {
      const closed = once(this.#server, 'close');
      this.#server.close();
      this.#server.closeAllConnections();
      await closed;
    }
    await left;
    this.#replica?.close();
    await this.#parts.recordings.close();
    this.tokens.close();
    this.sessions?.close();
    await this.#parts.webhooks.close();
    this.#parts.audit.close();
    await this.#parts.commands.close();
    await this.#parts.charts.close();
  }

  /** Returns the agents that are connected, sorted by id. */
  agents(): ConnectedAgent[] {
    return this.#parts.agents.list();
  }

  /** Returns the agents that are connected, were connected, or are registered, sorted by id. */
  knownAgents(): KnownAgent[] {
    return this.#parts.knownAgents();
  }

  /** Resolves when the agent is connected. Rejects with the signal's reason. */
  waitForAgent(agentId: string, signal?: AbortSignal): Promise<ConnectedAgent> {
    return this.#parts.agents.arrival(agentId, signal);
  }

  /**
   * Forgets an agent that will not come back, as when its cluster was deleted. Its commands that
   * have no result end with `agent_forgotten`; their number is returned when that is stored. An
   * agent with the id that connects later is a new one. Rejects with `ControlPlaneError`
   * `agent_connected`, `agent_not_found` and `store_unavailable`.
   */
  async forgetAgent(agentId: string): Promise<number> {
    await this.#opening;
    return await this.#audited('forgetAgent', agentId, this.#parts.dispatcher.forgetAgent(agentId));
  }

  /**
   * Invites an agent: returns a token with which it can enrol a key of its own, once. If the agent
   * has a key, that one ends then. Rejects with `ControlPlaneError` `bad_request`, `busy` and
   * `store_unavailable`.
   */
  async createEnrolment(options: EnrolmentOptions): Promise<CreatedEnrolment> {
    await this.#opening;
    return await this.#audited('createEnrolment', options.agentId, this.#parts.keys.create(options));
  }

  /**
   * Lets an agent in that has enrolled with `needsConsent`. Rejects with `ControlPlaneError`
   * `agent_not_found` and `store_unavailable`; the agent still waits then.
   */
  async acceptAgent(agentId: string): Promise<void> {
    await this.#opening;
    await this.#audited('acceptAgent', agentId, this.#parts.keys.accept(agentId));
  }

  /**
   * Ends the key and the token of an agent at once, and its connections. Rejects with
   * `ControlPlaneError` `agent_not_found`, and with `store_unavailable` until that is stored.
   */
  async revokeAgent(agentId: string): Promise<void> {
    await this.#opening;
    await this.#audited('revokeAgent', agentId, this.#parts.keys.revoke(agentId));
  }

  /** Returns the command with the key, or undefined if it is not known or was forgotten. */
  command(key: string): SentCommand | undefined {
    return this.#parts.commands.get(key)?.handle;
  }

  /**
   * Returns the results of all commands, from the first that is not marked as delivered, until the
   * signal aborts or `close` is called. A result is marked when the next one is asked for, so one
   * that was not processed is returned again after a restart.
   */
  async *results(signal?: AbortSignal): AsyncGenerator<CommandOutcome> {
    await this.#opening;
    for await (const outcome of this.#parts.commands.results.after(undefined, signal)) {
      yield outcome;
      this.#parts.commands.results.markDelivered(outcome.id);
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
      const command = this.#parts.dispatcher.send(agentId, request);
      this.#parts.audit.add({ action: 'send', user, decision: 'allowed', outcome: 'ok', ...auditOf(command) });
      return command.handle;
    } catch (error) {
      if (error instanceof RefusedError) {
        this.#parts.audit.addRefusal({ action: 'send', user, outcome: error.code, agentId, type: request.type });
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
    const command = this.#parts.commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    const ended = signal ?? new AbortController().signal;
    const taken = await this.#parts.streams.take(command, ended);
    if (this.#parts.streams.kindOf(command) === 'readable') taken.stream.end(); // readers send nothing
    const attendance = await this.#parts.attended.begin({ command, ...taken, signal: ended });
    return attendance ? attendedStream(taken.stream, attendance) : taken.stream;
  }

  /**
   * Stores the archive of a chart, and returns its digest for the parameter `chartUpload` of
   * commands. Rejects with `ControlPlaneError` `too_large` and `busy`.
   */
  async uploadChart(archive: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
    await this.#opening;
    return this.#parts.charts.receive(archive);
  }

  /** Notes what the application does to an agent. */
  async #audited<Result>(action: string, agentId: string, change: Promise<Result>): Promise<Result> {
    return await this.#parts.audit.addChange({ action, user: application, agentId }, change);
  }

  async #open(): Promise<void> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    if (this.#isUnread) this.#opening = this.#openAll();
    await this.#opening;
    signal.throwIfAborted();
  }

  async #openAll(): Promise<void> {
    this.#isUnread = false;
    const contents = this.#parts.commands.open(this.#closing.signal);
    contents.catch(() => (this.#isUnread = true)); // who opens gets the error
    const { entries = [], lastAudit } = await contents;
    this.#parts.audit.open(lastAudit);
    const { laterCommands, commands } = this.#parts;
    const restoring = { ...this.#parts, keep: (entry: StoredEntry) => commands.keep(entry) };
    laterCommands.open(noteRestored(entries, restoring));
    this.#parts.keys.open(entries);
    this.tokens.open(entries);
    this.sessions?.open(entries);
    this.#parts.webhooks.open(entries);
    await this.#parts.charts.open();
    await this.#parts.recordings.open();
    this.#parts.dispatcher.start();
    this.rollouts.open(entries);
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
