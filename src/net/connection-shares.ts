import { isIPv4 } from 'node:net';

/** The parts of a socket that this file needs. Node's sockets have them. */
export interface CountedSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export interface ConnectionLimits {
  /** Number of all connections. */
  connections: number;
  /** Number of connections without a valid token; the others are for those that have one. */
  strangers: number;
}

/**
 * Shares the connections of a server, so that one machine cannot take all of them. Those that have
 * shown a valid token are counted, and never ended: behind an Ingress, all agents have one address.
 * Beyond the limit of the others, the oldest one of the address that has the most is ended. The
 * /64 of an IPv6 address counts as one address.
 */
export class ConnectionShares {
  readonly #limits: ConnectionLimits;
  /** Connections without a valid token, by address, the oldest first. */
  readonly #strangers = new Map<string, Map<string, CountedSocket>>();
  #strangerCount = 0;
  #knownCount = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Adds a connection, and ends another one if there are too many. */
  add(socket: CountedSocket): void {
    const address = shareOf(socket.remoteAddress ?? '');
    const name = nameOf(socket);
    const own = this.#strangers.get(address) ?? new Map<string, CountedSocket>();
    this.#strangers.set(address, own.set(name, socket));
    this.#strangerCount++;
    socket.once('close', () => {
      if (!this.#remove(address, name)) this.#knownCount--;
    });
    const { connections, strangers } = this.#limits;
    const limit = Math.min(strangers, connections - this.#knownCount);
    if (this.#strangerCount > limit) this.#endOldest();
  }

  /** Counts a connection as one that has shown a valid token. Takes it, or the one inside TLS. */
  trust(socket: CountedSocket): void {
    if (this.#remove(shareOf(socket.remoteAddress ?? ''), nameOf(socket))) this.#knownCount++;
  }

  #endOldest(): void {
    let most: Map<string, CountedSocket> | undefined;
    for (const own of this.#strangers.values()) {
      if (most === undefined || own.size > most.size) most = own;
    }
    const [oldest] = most?.values() ?? [];
    oldest?.destroy();
  }

  /** Returns whether the connection was one without a valid token. */
  #remove(address: string, name: string): boolean {
    const own = this.#strangers.get(address);
    if (own?.delete(name) !== true) return false;
    this.#strangerCount--;
    if (own.size === 0) this.#strangers.delete(address);
    return true;
  }
}

/** Returns the name of an open connection. A socket and the one inside TLS have the same. */
function nameOf({ remoteAddress = '', remotePort = 0, localAddress = '' }: CountedSocket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Returns the part of an address that one machine has to itself. */
export function shareOf(address: string): string {
  const [plain = ''] = address.split('%');
  const mapped = plain.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(mapped)) return mapped;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '') || '0')
    .join(':');
}
