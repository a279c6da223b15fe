import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, type AgentOptions } from 'node:https';
import type { SecureContext } from 'node:tls';
import { WebSocket } from 'ws';
import { bearer } from '../../net/authorization.ts';
import { maskOptions } from '../../net/websocket-mask.ts';
import { maxFrameBytes } from '../../protocol/limits.ts';
import { keySubprotocol, subprotocol, type WireForm, wireForm } from '../../protocol/subprotocol.ts';
import { type DialFailure, explainDialFailure } from './dial-failure.ts';

export interface DialOptions {
  url: string;
  token: string | undefined;
  /** Whether the agent can prove a key. Default: false. */
  hasKey?: boolean;
  /** The trusted CAs and the client's certificate. Default: the CAs of the system, and none. */
  secureContext?: SecureContext | undefined;
  /** Names the proxy for `wss://` URLs. Default: none. */
  proxyEnv?: AgentOptions['proxyEnv'];
  handshakeTimeoutMs: number;
  signal: AbortSignal;
}

/** A connection that could not be opened. */
export class DialError extends Error {
  override readonly name = 'DialError';
  readonly failure: DialFailure;

  constructor(failure: DialFailure, url: string) {
    super(explainDialFailure(failure, url));
    this.failure = failure;
  }
}

/** `asksForKey` says that the server begins with a challenge. */
type OnOpen = (socket: WebSocket, form: WireForm, asksForKey: boolean) => void;

/**
 * Opens a WebSocket and offers the subprotocol; a server that selects none uses the plain form.
 * `onOpen` gets the socket in the turn in which it opens, so that no frame is missed. Rejects with
 * `DialError`.
 */
export function dial(options: DialOptions, onOpen: OnOpen): Promise<void> {
  const { url, signal } = options;
  const socket = createSocket(options);
  let selected = '';
  return new Promise((resolve, reject) => {
    const fail = (failure: DialFailure) => {
      reject(new DialError(failure, url));
      socket.terminate();
    };
    const abort = () => socket.terminate();
    const timer = setTimeout(() => fail({ kind: 'timeout' }), options.handshakeTimeoutMs);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });
    const onError = (error: Error) => reject(new DialError(failureOf(error, url), url));
    socket.on('error', onError);
    socket.once('close', settle);
    socket.once('unexpected-response', (_request: ClientRequest, { statusCode = 0, headers }: IncomingMessage) =>
      fail({
        kind: 'status',
        status: statusCode,
        ...retryAfter(statusCode, headers['retry-after']),
        hasToken: options.token !== undefined,
        ...(options.hasKey === true && { hasKey: true }),
      }),
    );
    // ws would refuse a server that selects none, whose first command could be here already
    socket.once('upgrade', ({ headers }) => {
      selected = headers['sec-websocket-protocol'] ?? '';
      delete headers['sec-websocket-protocol'];
    });
    socket.once('open', () => {
      settle();
      socket.off('error', onError);
      onOpen(socket, wireForm(selected), options.hasKey === true && selected === keySubprotocol);
      resolve();
    });
  });
}

function createSocket({ url, token, hasKey = false, secureContext, proxyEnv }: DialOptions): WebSocket {
  const isTls = new URL(url).protocol === 'wss:';
  return new WebSocket(url, [], {
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    ...maskOptions(url),
    // the global agent would take a plain connection to a proxy with NODE_USE_ENV_PROXY
    agent: isTls ? new TlsAgent({ secureContext, proxyEnv }) : new Agent(),
    headers: {
      'sec-websocket-protocol': hasKey ? `${keySubprotocol}, ${subprotocol}` : subprotocol,
      ...(token !== undefined && { authorization: bearer(token) }),
    },
  });
}

/** Status codes of a server that may have room later. */
const busyStatuses = new Set([429, 503]);

/** The longest time for which an agent waits because a server says so, in seconds. */
const maxRetryAfterSeconds = 300;

/** Reads the seconds of `Retry-After`. A date says nothing, because clocks differ. */
function retryAfter(status: number, value: string | undefined): { retryAfterMs?: number } {
  if (!busyStatuses.has(status) || value === undefined || !/^[1-9]\d{0,9}$/.test(value)) return {};
  return { retryAfterMs: Math.min(Number(value), maxRetryAfterSeconds) * 1000 };
}

function failureOf(error: Error, url: string): DialFailure {
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(error, name)?.value;
  const [code, status, hostname, port] = [field('code'), field('statusCode'), field('hostname'), field('port')];
  if (code === 'ERR_PROXY_TUNNEL') {
    return { kind: 'proxy', ...(typeof status === 'number' && { status }) };
  }
  const wanted = new URL(url);
  const wantedPort = wanted.port === '' ? (wanted.protocol === 'wss:' ? 443 : 80) : Number(wanted.port);
  const isOther =
    (hostname !== undefined && hostname !== wanted.hostname) || (port !== undefined && port !== wantedPort);
  return {
    kind: 'error',
    code: typeof code === 'string' ? code : undefined,
    ...(isOther && { isProxy: true }),
  };
}
