import { commandTypes } from '../../../../src/protocol/commands/index.ts';
import type { Packet } from '../../../../src/protocol/packet.ts';
import { rawAgent } from '../../support/raw-agent.ts';
import type { FakeCluster } from './fleet.ts';

/** Connects an agent whose cluster performs commands at once. */
export async function fakeAgent(url: string, agentId: string, cluster: FakeCluster) {
  const agent = await rawAgent(url, { agentId, capabilities: [...commandTypes] });
  const perform = ({ key = '', type, payload = '{}' }: Packet) => {
    if (!(commandTypes as readonly string[]).includes(type)) return;
    agent.send('result', cluster.perform(key, type, JSON.parse(payload) as Record<string, unknown>), key);
  };
  // commands can come right after the welcome
  agent.packets.forEach(perform);
  agent.socket.on('message', (data: Buffer) => perform(JSON.parse(data.toString()) as Packet));
  return agent;
}
