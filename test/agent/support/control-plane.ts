import type { ExecutionContext } from 'ava';
import type { Packet } from '../../../src/protocol/packet.ts';
import { FakeControlPlane } from './server.ts';

/** Starts a control plane that is closed when the test ends. */
export async function controlPlane(t: ExecutionContext, options?: Parameters<typeof FakeControlPlane.start>[0]) {
  const plane = await FakeControlPlane.start(options);
  t.teardown(() => plane.close());
  return plane;
}

export const install = (key: string, releaseName = 'web') => ({
  key,
  type: 'install_release',
  payload: JSON.stringify({ releaseName, chartName: 'c' }),
});

export const payloadOf = (packet: Packet) => JSON.parse(packet.payload ?? 'null') as Record<string, unknown>;

/** Returns the numbers of the status packets. */
export const seqs = (packets: Packet[]) =>
  packets.filter(({ type }) => type === 'status').map((one) => payloadOf(one)['seq']);
