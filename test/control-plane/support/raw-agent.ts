import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Hello } from '../../../src/protocol/messages.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { testRelease } from '../../agent/support/release.ts';

export interface RawAgent {
  socket: WebSocket;
  packets: Packet[];
  send: (type: string, payload: unknown, key?: string) => void;
  packet: (type: string) => Promise<Packet>;
}

interface RawHello {
  agentId: string;
  instanceId: string;
  version: string;
  capabilities: string[];
  durable: boolean;
  resume?: Hello['resume'];
  packets?: string[];
  streams?: Hello['streams'];
  packetFields?: string[];
  pace?: boolean;
  elected?: boolean;
}

const hello: RawHello = {
  agentId: 'edge-1',
  instanceId: 'a',
  version: '1',
  capabilities: ['install_release'],
  durable: false,
};

/** The result of a successful installation. */
export const installed = { ok: true, release: testRelease('web') };

/** Connects a socket that sends `hello` as an agent does, and nothing more by itself. */
export async function rawAgent(url: string, as: Partial<RawHello> = {}, token?: string): Promise<RawAgent> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, ['helm-agent.v1'], { headers });
  const packets: Packet[] = [];
  socket.on('message', (data: Buffer) => packets.push(JSON.parse(data.toString()) as Packet));
  await once(socket, 'open');
  const send: RawAgent['send'] = (type, payload, key) =>
    socket.send(JSON.stringify({ key, type, payload: JSON.stringify(payload) }));
  send('hello', { ...hello, limits: { maxPacketBytes: 1_000_000 }, ...as });
  const agent: RawAgent = {
    socket,
    packets,
    send,
    async packet(type) {
      for (;;) {
        const found = packets.find((packet) => packet.type === type);
        if (found) return found;
        await once(socket, 'message');
      }
    },
  };
  await agent.packet('welcome');
  return agent;
}
