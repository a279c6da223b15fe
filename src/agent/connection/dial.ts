import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { bearer } from '../../protocol/authorization.ts';
import { maxFrameBytes } from '../../protocol/limits.ts';
import { subprotocol, type WireForm } from '../../protocol/subprotocol.ts';
import { explainDialFailure, type DialFailure } from './dial-failure.ts';

export interface DialOptions {
  url: string;
  /** `plain` offers no subprotocol. */
  form: WireForm;
  token: string | undefined;
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

/**
 * Opens a WebSocket. `onOpen` gets it in the turn in which it opens, so that no frame is missed.
 * Rejects with `DialError`.
 */
export function dial(options: DialOptions, onOpen: (socket: WebSocket) => void): Promise<void> {
  const { url, form, signal } = options;
  const socket = createSocket(options);
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
    const onError = (error: Error) => reject(new DialError({ kind: 'error', code: codeOf(error) }, url));
    socket.on('error', onError);
    socket.once('close', settle);
    socket.once('unexpected-response', (_request: ClientRequest, { statusCode = 0 }: IncomingMessage) =>
      fail({ kind: 'status', status: statusCode }),
    );
    // ws would fail with an error that has no code
    socket.once('upgrade', ({ headers }) => {
      if (form === 'v1' && headers['sec-websocket-protocol'] === undefined) fail({ kind: 'no-subprotocol' });
    });
    socket.once('open', () => {
      settle();
      socket.off('error', onError);
      onOpen(socket);
      resolve();
    });
  });
}

function createSocket({ url, form, token }: DialOptions): WebSocket {
  return new WebSocket(url, form === 'v1' ? [subprotocol] : [], {
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    ...(token !== undefined && { headers: { authorization: bearer(token) } }),
  });
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
