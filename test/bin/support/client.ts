import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import type { Packet } from '../../../src/protocol/packet.ts';

/** A client of an agent's `--listen`. */
export interface Client {
  send(packet: object | string): void;
  /** Resolves to the first packet that matches. */
  packet(matches: (packet: Packet) => boolean): Promise<Packet>;
  packets: Packet[];
}

/**
 * Connects to `/exe-cmd` until the test ends. Without subprotocols, the client is one of the Go
 * agent.
 */
export async function dialAgent(
  t: ExecutionContext,
  port: number | undefined,
  protocols: string[] = [],
): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port ?? 0}/exe-cmd`, protocols);
  t.teardown(() => socket.terminate());
  const packets: Packet[] = [];
  socket.on('message', (data: Buffer) => packets.push(JSON.parse(data.toString()) as Packet));
  await once(socket, 'open');
  return {
    packets,
    send: (packet) => socket.send(typeof packet === 'string' ? packet : JSON.stringify(packet)),
    async packet(matches) {
      for (;;) {
        const found = packets.find(matches);
        if (found) return found;
        await once(socket, 'message');
      }
    },
  };
}
