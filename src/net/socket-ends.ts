import type { Socket } from 'node:net';

/** The two ends of a connection. */
export interface SocketEnds {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
}

/** Returns the ends of a connection. They are empty if it has ended. */
export function endsOf({ remoteAddress = '', remotePort = 0, localAddress = '' }: Socket): SocketEnds {
  return { remoteAddress, remotePort, localAddress };
}

/** Gives a connection that another process has accepted the ends that it has there. */
export function setEnds(socket: Socket, ends: SocketEnds): void {
  for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value });
}
