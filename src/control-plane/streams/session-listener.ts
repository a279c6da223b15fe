import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { bearer } from '../../net/authorization.ts';
import { createUpgradeListener, type Decision } from '../../net/websocket-server.ts';
import { FrameTurns } from '../../protocol/session/frame-turns.ts';
import { addressOf, authenticateUser, type UserAccess } from '../access/authenticate-user.ts';
import type { Guard } from '../access/guard.ts';
import type { Principal } from '../access/role.ts';
import { auditOf } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { BearerWatch } from '../bearer-watch.ts';
import type { CommandIndex } from '../command-index.ts';
import { ControlPlaneError } from '../error.ts';
import { decodeSegment, statusLineOf } from '../http-json.ts';
import type { Logger } from '../logger.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { serveWatcher, type WatchOptions } from '../sessions/watch-socket.ts';
import type { TrackedCommand } from '../tracked-command.ts';
import type { CommandStreams } from './command-streams.ts';
import { maxSessionMessageBytes, serveSession } from './session-socket.ts';
import { requireStream } from './stream-handler.ts';

export interface SessionListenerOptions {
  commands: Pick<CommandIndex, 'get'>;
  streams: CommandStreams;
  access: UserAccess;
  sessions: Sessions;
  guard: Pick<Guard, 'requireVisible' | 'requireLike'>;
  audit: Pick<AuditLog, 'add' | 'addRefusal'>;
  log: Logger;
}

/** The WebSockets of callers whose commands have streams in both directions. */
export interface SessionListener {
  /** Handles the event `upgrade` of an HTTP server. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends all sessions. */
  close: () => void;
}

/** A status code of RFC 6455 for applications: there is no session, yet or any more. */
const noSession = 4404;

/** The subprotocol of these WebSockets, for callers that name one. */
const streamSubprotocol = 'helm-agent.stream';

/** The subprotocol with which a page sends its token: this, and the token in Base64url. */
const tokenSubprotocol = /^helm-agent\.bearer\.([\w-]{1,6000})$/;

const sessionPath = /^\/api\/commands\/([^/]+)\/(stream|watch)$/;

/** Whether a request is for a session, and not one of an agent. */
export function isSessionPath(url = ''): boolean {
  return url.startsWith('/api/');
}

/** Whether a request is for the stream of a command, or for watching one. */
export function isStreamPath(url = ''): boolean {
  return sessionPath.test(url.split('?')[0] ?? '');
}

export function sessionListener({
  commands,
  streams,
  sessions,
  access,
  guard,
  audit,
  log,
}: SessionListenerOptions): SessionListener {
  const stopping = new AbortController();
  const turns = new FrameTurns();
  const callers = new BearerWatch(access.token);
  const commandAt = (principal: Principal, url: string) => {
    const [, segment = '', end] = sessionPath.exec(url.split('?')[0] ?? '') ?? [];
    const key = decodeSegment(segment);
    guard.requireVisible(principal, key);
    const command = commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', 'no command has the key');
    if (end === 'watch') requireSecond(principal, command);
    else requireStream(command, { kind: 'duplex', streams, sentBy: principal.name });
    return { command, isWatched: end === 'watch' };
  };
  const requireSecond = (principal: Principal, { record }: TrackedCommand) => {
    guard.requireLike(principal, record);
    if (record.sentBy !== principal.name) return;
    throw new ControlPlaneError('forbidden', 'a session is watched by someone else than its first person');
  };
  const watch = (socket: WebSocket, options: Omit<WatchOptions, 'sessions'>, onClose: () => void) => {
    socket.once('close', onClose);
    try {
      serveWatcher(socket, { sessions, ...options });
    } catch (error) {
      if (!(error instanceof ControlPlaneError)) throw error;
      socket.close(noSession, error.message);
    }
  };
  const decide = async (request: IncomingMessage): Promise<Decision> => {
    let name: string | undefined;
    try {
      acceptTokenOfPage(request);
      const user = await authenticateUser(request, access);
      name = user.principal.name;
      requireOwnPage(request);
      const { command, isWatched } = commandAt(user.principal, request.url ?? '');
      access.trust(request.socket);
      return {
        serve(socket) {
          const gone = new AbortController();
          const endWatch = callers.add(user, request.headers.authorization, gone);
          const signal = AbortSignal.any([gone.signal, stopping.signal]);
          const { name: caller } = user.principal;
          const about = { user: caller, from: addressOf(request), ...auditOf(command) } as const;
          audit.add({ action: 'stream opened', ...about, decision: 'allowed', outcome: 'ok' });
          const end = () => {
            endWatch();
            audit.add({ action: 'stream closed', ...about, decision: 'allowed', outcome: 'ok' });
          };
          if (isWatched) watch(socket, { key: command.key, user: caller, signal }, end);
          else void serveSession(socket, command, { streams, sessions, turns, signal }).finally(end);
        },
      };
    } catch (error) {
      if (!(error instanceof ControlPlaneError)) throw error;
      const [path = ''] = (request.url ?? '').split('?');
      audit.addRefusal({ action: `GET ${path}`, from: addressOf(request), user: name, outcome: error.code });
      return { refuse: statusLineOf(error) };
    }
  };
  return {
    upgrade: createUpgradeListener({
      peer: 'a caller of a session',
      subprotocols: [streamSubprotocol],
      maxMessageBytes: maxSessionMessageBytes,
      ...{ decide, log },
      signal: stopping.signal,
    }),
    close: () => stopping.abort(),
  };
}

/**
 * Pages cannot send the header `Authorization` with a WebSocket, so its value is read from a
 * subprotocol.
 */
function acceptTokenOfPage({ headers }: IncomingMessage): void {
  if (headers.authorization !== undefined) return;
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  const tokens = offered.flatMap((name) => tokenSubprotocol.exec(name)?.[1] ?? []);
  const [token] = tokens;
  if (token !== undefined && tokens.length === 1) {
    headers.authorization = bearer(Buffer.from(token, 'base64url').toString());
  }
}

/** Browsers let any web page open a WebSocket, and say only where the page is from. */
function requireOwnPage({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new ControlPlaneError('forbidden', 'web pages of other servers cannot open streams');
}
