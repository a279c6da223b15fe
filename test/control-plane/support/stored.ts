import type { CommandEvent, CommandRecord, StoreBatch } from '../../../src/control-plane/index.ts';

export const record = (key: string, part: Partial<CommandRecord> = {}): CommandRecord => ({
  ...{ key, agentId: 'edge-1', type: 'install_release', fingerprint: 'f', state: 'waiting' },
  ...{ isDurable: false, isConnected: true, lastEvent: 0, lastStatus: 0, lastEvidence: 0, bytes: 0 },
  ...{ instanceId: undefined, payload: '{}', expiresAt: undefined },
  ...part,
});

export const event = (key: string, id: number) => {
  const connected: CommandEvent = { id, type: 'agent', payload: { connected: id % 2 === 0 } };
  return { key, event: connected, bytes: 256 };
};

export const batch = (part: Partial<StoreBatch>): StoreBatch => ({
  ...{ commands: [], events: [], trims: [], forgotten: [], agents: [], forgottenAgents: [] },
  ...part,
});
