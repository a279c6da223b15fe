import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { controlPlane } from '../support/control-plane.ts';

const statusOf = async (port: number | undefined, path: string, method = 'GET') =>
  (await fetch(`http://127.0.0.1:${port ?? 0}${path}`, { method })).status;

test('serves probes without --listen, and nothing else', async (t) => {
  const plane = await controlPlane(t);
  const { agent } = await testAgent(t, { controlPlaneUrl: plane.url, healthPort: 0 });
  await plane.connection(0);
  await eventually('the agent is ready', () => agent.isReady());
  t.is(agent.port, undefined);
  t.is(await statusOf(agent.healthPort, '/healthz'), 200);
  t.is(await statusOf(agent.healthPort, '/readyz?verbose'), 200);
  t.is(await statusOf(agent.healthPort, '/exe-cmd'), 404);
  t.is(await statusOf(agent.healthPort, '/'), 404);
  t.is(await statusOf(agent.healthPort, '/healthz', 'POST'), 405);
});

test('an agent that cannot reach its control plane is alive but not ready', async (t) => {
  const { agent } = await testAgent(t, {
    controlPlaneUrl: 'ws://127.0.0.1:1',
    healthPort: 0,
    times: { slackMs: 5000 },
  });
  await sleep(200);
  t.is(await statusOf(agent.healthPort, '/healthz'), 200);
  t.is(await statusOf(agent.healthPort, '/readyz'), 503);
});

test('an agent that stops trying to connect is not alive', async (t) => {
  const plane = await controlPlane(t);
  const token = Promise.withResolvers<string>();
  const { agent } = await testAgent(t, {
    controlPlaneUrl: plane.url,
    healthPort: 0,
    readToken: () => token.promise,
    times: { handshakeTimeoutMs: 50, slackMs: 50 },
  });
  t.teardown(() => token.resolve('late'));
  await eventually('the agent is not alive', async () => (await statusOf(agent.healthPort, '/healthz')) !== 200);
  t.is(await statusOf(agent.healthPort, '/healthz'), 503);
});

test('an agent that only listens is alive and ready', async (t) => {
  const { agent } = await testAgent(t, { listen: { host: '127.0.0.1', port: 0 }, healthPort: 0 });
  t.is(await statusOf(agent.healthPort, '/healthz'), 200);
  t.is(await statusOf(agent.healthPort, '/readyz'), 200);
});
