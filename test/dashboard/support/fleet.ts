import { commandTypes } from '../../../src/protocol/commands/index.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { FakeCluster } from '../../control-plane/rollouts/support/fleet.ts';
import { rawAgent } from '../../control-plane/support/raw-agent.ts';

export interface FleetOptions {
  /** Default: all updates succeed. */
  outcomeOf?: (agentId: string) => FakeCluster['outcome'];
  /** The name of the object that its plan changes. Default: `replicas`. */
  differingOf?: (agentId: string) => string;
  /** The approvals of its plans. */
  approvals?: object;
  /** Time that a command takes, in milliseconds. Default: 0. */
  delayMs?: number;
}

/**
 * Connects agents that perform the commands of rollouts. Returns a function that ends their
 * connections.
 */
export async function connectFleet(
  url: string,
  ids: readonly string[],
  { outcomeOf = () => 'ok', differingOf = () => 'replicas', approvals = {}, delayMs = 0 }: FleetOptions = {},
): Promise<() => void> {
  const sockets = await Promise.all(
    ids.map(async (agentId) => {
      const cluster = new FakeCluster();
      cluster.outcome = outcomeOf(agentId);
      cluster.differing = differingOf(agentId);
      cluster.approvals = approvals;
      const { socket, send } = await rawAgent(url.replace('http:', 'ws:'), {
        ...{ agentId, version: '1.2.3', capabilities: [...commandTypes] },
      });
      const perform = ({ key = '', type, payload = '{}' }: Packet) => {
        if (!commandTypes.some((one) => one === type)) return;
        send('accepted', { durable: false }, key);
        const fields = JSON.parse(payload) as Record<string, unknown>;
        setTimeout(() => send('result', cluster.perform(key, type, fields), key), delayMs);
      };
      socket.on('message', (data: Buffer) => perform(JSON.parse(data.toString()) as Packet));
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.terminate();
  };
}
