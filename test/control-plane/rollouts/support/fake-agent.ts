import { commandTypes } from '../../../../src/protocol/commands/index.ts';
import { rawAgent } from '../../support/raw-agent.ts';
import type { FakeCluster } from './fleet.ts';

/** Connects an agent whose cluster performs commands at once. */
export async function fakeAgent(url: string, agentId: string, cluster: FakeCluster) {
  const agent = await rawAgent(url, { agentId, capabilities: [...commandTypes] });
  agent.socket.on('message', (data: Buffer) => {
    const { key = '', type, payload } = JSON.parse(data.toString()) as { key?: string; type: string; payload: string };
    if (!(commandTypes as readonly string[]).includes(type)) return;
    agent.send('result', cluster.perform(key, type, JSON.parse(payload) as Record<string, unknown>), key);
  });
  return agent;
}
