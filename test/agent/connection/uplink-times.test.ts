import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { controlPlane, install, seqs } from '../support/control-plane.ts';
import { PausableProxy } from '../support/proxy.ts';

test.serial('a half-open connection is detected and replaced, and its packets are sent again', async (t) => {
  const plane = await controlPlane(t);
  const proxy = await PausableProxy.start(plane.port);
  t.teardown(() => proxy.stop());
  const heartbeat = { pingIntervalMs: 500, silenceLimitMs: 3000 };
  const { puppets, lines, agent } = await testAgent(t, {
    controlPlaneUrl: `ws://127.0.0.1:${proxy.port}`,
    times: { heartbeat, handshakeTimeoutMs: 3000 },
  });
  const first = await plane.connection(0);
  first.send(install('k'));
  const call = await puppets.call(0);
  call.report('one');
  await first.packet('status');
  proxy.pause();
  call.report('two');
  call.succeed();
  await eventually('the agent is not ready', () => !agent.isReady());
  proxy.resume();
  const last = await plane.connectionWith('result', 'k');
  t.not(last, first);
  t.deepEqual(seqs(first.packets), [1]);
  t.is(seqs(last.packets).at(-1), 2);
  t.true(lines.join('').includes('the peer is silent'));
});

test.serial(
  'the first attempt is immediate, and the others wait a random part of a bound that doubles up to the cap',
  async (t) => {
    const plane = await controlPlane(t, { refuse: (attempt) => (attempt < 5 ? 503 : undefined) });
    const { lines } = await testAgent(t, {
      controlPlaneUrl: plane.url,
      random: () => 0.5,
      times: { backoff: { baseMs: 400, capMs: 800, stableMs: 60_000 } },
    });
    await plane.connection(0);
    const times = plane.attempts.map(({ time }) => time);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    t.is(waits.length, 5);
    for (const [index, expected] of [200, 400, 400, 400, 400].entries()) {
      const wait = waits[index] ?? 0;
      t.true(wait >= expected - 2 && wait < expected + 1500, `wait ${index} took ${wait} ms instead of ${expected}`);
    }
    t.true(lines.join('').includes('503'));
  },
);

test.serial('after a stable connection the next attempt is immediate', async (t) => {
  const plane = await controlPlane(t, { refuse: (attempt) => (attempt === 0 ? 503 : undefined) });
  let waits = 0;
  await testAgent(t, {
    controlPlaneUrl: plane.url,
    // no wait before the second attempt, and a minute before each later one
    random: () => (waits++ === 0 ? 0 : 0.99),
    times: { backoff: { baseMs: 60_000, capMs: 60_000, stableMs: 30 } },
  });
  const connection = await plane.connection(0);
  await sleep(60);
  connection.socket.terminate();
  await plane.connection(1);
  t.is(plane.attempts.length, 3);
});
