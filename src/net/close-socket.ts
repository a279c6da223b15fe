import type { WebSocket } from 'ws';

/** Time for a peer to confirm that the connection closes, in milliseconds. */
const closeTimeoutMs = 1000;

/** Closes a WebSocket, and ends its connection if the peer does not confirm that in time. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const cutOff = setTimeout(() => socket.terminate(), closeTimeoutMs);
  socket.once('close', () => clearTimeout(cutOff));
}
