import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { controlPlane, install, payloadOf, seqs } from '../support/control-plane.ts';
import { PausableProxy } from '../support/proxy.ts';
import type { ServedConnection } from '../support/server.ts';

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

test.serial('a control plane without room says when to come, within five minutes', async (t) => {
  const plane = await controlPlane(t, { refuse: () => 503, refusal: 'Retry-After: 1\r\n' });
  const full = await controlPlane(t, { refuse: () => 429, refusal: 'Retry-After: 9999999999\r\n' });
  await testAgent(t, { controlPlaneUrl: [plane.url, full.url] });
  await eventually('two attempts', () => plane.attempts.length === 2);
  const [first, second] = plane.attempts.map(({ time }) => time);
  t.true((second ?? 0) - (first ?? 0) >= 1495);
  t.is(full.attempts.length, 1);
});

for (const header of [
  'Retry-After: 0',
  'Retry-After: -5',
  'Retry-After: 1e9',
  'Retry-After: Wed, 25 Nov 2099 00:00:00 GMT',
]) {
  test.serial(`an agent does not wait for ${header}`, async (t) => {
    const plane = await controlPlane(t, {
      refuse: (attempt) => (attempt < 2 ? 503 : undefined),
      refusal: `${header}\r\n`,
    });
    await testAgent(t, { controlPlaneUrl: plane.url });
    await t.notThrowsAsync(plane.connection(0));
  });
}

/** Resolves when the agent has read what it was sent. */
async function hasRead({ socket }: ServedConnection): Promise<void> {
  const pong = once(socket, 'pong');
  socket.ping();
  await pong;
}

const welcomeWith = (pace: object) => ({
  type: 'welcome',
  payload: JSON.stringify({ server: 'x', version: '1', pace }),
});

test.serial('an agent that gets a pace sends no pings, and closes a connection on which nothing arrives', async (t) => {
  const plane = await controlPlane(t);
  const times = { heartbeat: { pingIntervalMs: 50, silenceLimitMs: 600_000 } };
  const { lines } = await testAgent(t, { controlPlaneUrl: plane.url, times });
  const connection = await plane.connection(0);
  t.is(payloadOf(await connection.packet('hello'))['pace'], true);
  connection.send(welcomeWith({ heartbeat: -1e308, spread: -1 }));
  // a second one changes nothing
  for (let index = 0; index < 50; index++) connection.send(welcomeWith({ heartbeat: 120, spread: 60 }));
  await hasRead(connection);
  let pings = 0;
  connection.socket.on('ping', () => pings++);
  await plane.connection(1);
  t.is(pings, 0);
  t.true(lines.join('').includes('the peer is silent'));
});

test.serial('agents that lose a control plane come back over the time that it gave', async (t) => {
  const plane = await controlPlane(t);
  await testAgent(t, { controlPlaneUrl: plane.url, times: { backoff: { baseMs: 20, capMs: 20, stableMs: 0 } } });
  const connection = await plane.connection(0);
  connection.send(welcomeWith({ heartbeat: 30, spread: 2 }));
  await hasRead(connection);
  const lost = performance.now();
  connection.socket.terminate();
  await plane.connection(1);
  // a half, as the tests' random numbers are 0.5
  t.true((plane.attempts[1]?.time ?? 0) - lost >= 995);
});

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
