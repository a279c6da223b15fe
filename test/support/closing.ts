import type { Socket } from 'node:net';

/** Reads what a socket receives, and resolves when it has been closed, also by a reset. */
export function closing(socket: Socket): Promise<void> {
  socket.on('error', () => undefined).resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
