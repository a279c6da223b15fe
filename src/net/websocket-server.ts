import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { messageOf } from '../errors/index.ts';
import { Allowance } from '../protocol/allowance.ts';
import { maxFrameBytes } from '../protocol/limits.ts';
import { selectSubprotocol, subprotocol } from '../protocol/subprotocol.ts';

/** A status line with which a request is refused, or a function that serves its socket. */
export type Decision =
  /** `retryAfter`: seconds after which the peer may try again. */
  | { refuse: string; retryAfter?: number }
  /** Called in the turn in which the socket opens. */
  | { serve: (socket: WebSocket, stream: Duplex) => void };

/** Time to decide about a request. */
const decisionTimeoutMs = 10_000;

export interface UpgradeOptions {
  /** The kind of peer, for the log: `an agent` or `a client`. */
  peer: string;
  /** Accepts or refuses a request. It has `decisionTimeoutMs`. */
  decide: (request: IncomingMessage) => Promise<Decision>;
  /** The subprotocols that are known, the preferred one first. Default: that of helm-agent. */
  subprotocols?: readonly string[];
  /** The largest message that is read, in bytes. Default: that of packets. */
  maxMessageBytes?: number;
  /** Refuses the requests that are not decided yet, and those that follow, when it aborts. */
  signal?: AbortSignal;
  log: { warn(fields: object, message: string): void };
}

/**
 * Returns a listener for an HTTP server's `upgrade` event that opens WebSockets or refuses them.
 */
export function createUpgradeListener({
  peer,
  decide,
  subprotocols = [subprotocol],
  maxMessageBytes = maxFrameBytes,
  signal = new AbortController().signal,
  log,
}: UpgradeOptions) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => selectSubprotocol(offered, subprotocols),
    perMessageDeflate: false,
  });

  const waits = new Allowance({ count: 10, perSecond: 0.1 });

  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const onError = (error: Error) => log.warn({ reason: error.message }, `${peer} went away during the handshake`);
    socket.on('error', onError);
    const stop = () => refuse(socket, '503 Service Unavailable', undefined);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => socket.destroy(), decisionTimeoutMs);
    decide(request)
      .catch((error: unknown): Decision => {
        const reason = messageOf(error);
        log.warn({ reason }, `cannot check the token of ${peer}`);
        return { refuse: '500 Internal Server Error' };
      })
      .then((decision) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        if (socket.destroyed || signal.aborted) return;
        if ('refuse' in decision) {
          const { refuse: reason, retryAfter } = decision;
          // a whole fleet may have to wait
          if (retryAfter === undefined || waits.take()) {
            log.warn({ address: request.socket.remoteAddress, reason, retryAfter }, `refused ${peer}`);
          }
          refuse(socket, reason, retryAfter);
          return;
        }
        socket.off('error', onError);
        server.handleUpgrade(request, socket, head, (opened) => decision.serve(opened, socket));
      })
      .catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, `cannot serve ${peer}`);
        socket.destroy();
      });
  };
}

/** Time for a peer to receive the response that refuses it. */
const refusalTimeoutMs = 1000;

/**
 * Responds with the status and closes the socket for good, whether or not the peer closes its end.
 */
function refuse(socket: Duplex, status: string, retryAfter: number | undefined): void {
  const cutOff = setTimeout(() => socket.destroy(), refusalTimeoutMs);
  socket.once('close', () => clearTimeout(cutOff));
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\n${wait}Content-Length: 0\r\n\r\n`;
  socket.end(head, () => socket.destroy());
}
