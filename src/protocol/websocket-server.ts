import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { maxFrameBytes } from './limits.ts';
import { selectSubprotocol } from './subprotocol.ts';

export interface UpgradeOptions {
  /** The kind of peer, for the log: `an agent` or `a client`. */
  peer: string;
  /** Returns the status line with which to refuse the request, or undefined to accept it. */
  refusal: (request: IncomingMessage) => Promise<string | undefined>;
  /** Called in the turn in which the socket opens. */
  onOpen: (socket: WebSocket) => void;
  log: { warn(fields: object, message: string): void };
}

/**
 * Returns a listener for an HTTP server's `upgrade` event that opens WebSockets or refuses them.
 */
export function createUpgradeListener({ peer, refusal, onOpen, log }: UpgradeOptions) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    handleProtocols: selectSubprotocol,
    perMessageDeflate: false,
  });

  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const onError = (error: Error) => log.warn({ reason: error.message }, `${peer} went away during the handshake`);
    socket.on('error', onError);
    refusal(request).then(
      (status) => {
        if (status === undefined) {
          socket.off('error', onError);
          server.handleUpgrade(request, socket, head, onOpen);
          return;
        }
        log.warn({ address: request.socket.remoteAddress, reason: status }, `refused ${peer}`);
        refuse(socket, status);
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, `cannot check the token of ${peer}`);
        refuse(socket, '500 Internal Server Error');
      },
    );
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
