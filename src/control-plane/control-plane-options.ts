import type { ControlPlaneRecorder } from '../metrics/control-plane-metrics.ts';
import type { HeartbeatTimes } from '../net/heartbeat.ts';
import type { ServerTls } from '../net/server-tls.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { UserAccess } from './access/authenticate-user.ts';
import type { Authorize } from './access/guard.ts';
import type { AuditEntry } from './audit/audit-entry.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { KeyEncryption } from './encryption/key-encryption.ts';
import type { Authenticate } from './identity.ts';
import type { ControlPlaneLimits } from './limits.ts';
import type { Logger } from './logger.ts';
import type { SentCommand } from './sent-command.ts';
import type { SessionRule } from './sessions/sessions.ts';
import type { SignInFile } from './sign-in/sign-in-file.ts';
import type { CommandStore } from './store/command-store.ts';
import type { Token } from './token.ts';

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
   * Authenticates users of the REST API in another way than by a token. Requests without a user or
   * a token are then refused, also on addresses of this machine. Default: users have tokens.
   */
  authenticateUser?: UserAccess['authenticateUser'];
  /**
   * How people sign in; `openSignInFile` returns it. Requests without a token or a session are then
   * refused, also on addresses of this machine. Default: people have tokens.
   */
  signIn?: SignInFile | undefined;
  /**
   * Decides about what the roles of a user allow: returns true, at once, to allow it. All else
   * refuses it; a promise is an error. Default: it is allowed.
   */
  authorize?: Authorize | undefined;
  /**
   * Called with each entry of the audit log when it is stored. Default: none; the store has the
   * log.
   */
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
  /** Number of connections, of agents and of users. Default: 20,000. */
  maxConnections?: number | undefined;
  /** Time for an agent to send `hello`, in milliseconds. Default: 10,000. */
  helloTimeoutMs?: number;
  /**
   * Time in milliseconds after which a second process of an agent is refused as a copy, if the
   * first one works alone, by leader election, and still responds. Default: 20,000.
   */
  takeoverMs?: number;
  /**
   * Keeps commands and results; `createSqliteStore` and `createPostgresStore` return one. It is
   * opened by `listen` or `attach`, and closed by `close`. Default: the memory of this process.
   */
  store?: CommandStore | undefined;
  /**
   * Encrypts the keys with which payloads, results and other contents of the store are encrypted;
   * `openEncryptionKeys` returns one for a file. Default: none; the store has them as they are, and
   * one that has encrypted data is refused.
   */
  encryption?: KeyEncryption | undefined;
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
  /**
   * When agents are pinged, and when silent ones are gone. Agents that know `pace` follow it.
   * Default: pings each 30 s, and a minute of silence.
   */
  heartbeat?: HeartbeatTimes | undefined;
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
  /** A process that may be of a copy of an agent's cluster has shown its key, and was refused. */
  copy: [agentId: string];
}

/** Where an HTTP server accepts agents. */
export interface AttachOptions {
  /** Default: `/agents`. */
  path?: string;
}
