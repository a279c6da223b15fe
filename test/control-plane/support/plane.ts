import type { ExecutionContext } from 'ava';
import { ControlPlane, type ControlPlaneOptions } from '../../../src/control-plane/index.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { checkResponses } from './checked-responses.ts';

/** Starts a control plane that is closed when the test ends, and whose responses are checked. */
export async function testPlane(
  t: ExecutionContext,
  { host, port: wanted = 0, ...options }: ControlPlaneOptions & { host?: string; port?: number } = {},
) {
  const { log, lines } = recordingLog();
  const plane = new ControlPlane({ log, version: '1.2.3', ...options });
  const port = await plane.listen(wanted, host);
  checkResponses(t, port);
  t.teardown(() => plane.close());
  return { plane, port, lines, url: `http://127.0.0.1:${port}`, agentUrl: `ws://127.0.0.1:${port}` };
}
