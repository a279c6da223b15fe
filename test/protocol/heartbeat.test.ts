import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { defaultHeartbeat, keepAlive } from '../../src/protocol/heartbeat.ts';

class FakeSocket extends EventEmitter {
  pings = 0;
  ping(): void {
    this.pings++;
  }
}

test('by default a silent peer is dead within 30 s, after more than one ping', (t) => {
  t.true(defaultHeartbeat.silenceLimitMs <= 30_000);
  t.true(defaultHeartbeat.pingIntervalMs * 2 < defaultHeartbeat.silenceLimitMs);
});

test('reports a silent peer once, and stops pinging it', async (t) => {
  const socket = new FakeSocket();
  let deaths = 0;
  keepAlive(socket, { pingIntervalMs: 10, silenceLimitMs: 45 }, () => deaths++);
  await sleep(80);
  const pings = socket.pings;
  socket.emit('pong');
  await sleep(80);
  t.is(deaths, 1);
  t.true(pings >= 2);
  t.is(socket.pings, pings);
});

for (const traffic of ['message', 'ping', 'pong']) {
  test(`a ${traffic} keeps a peer alive`, async (t) => {
    const socket = new FakeSocket();
    let dead = false;
    const stop = keepAlive(socket, { pingIntervalMs: 1000, silenceLimitMs: 100 }, () => (dead = true));
    for (let i = 0; i < 8; i++) {
      await sleep(25);
      socket.emit(traffic);
    }
    stop();
    t.false(dead);
  });
}

test('a stopped heartbeat reports nothing', async (t) => {
  let dead = false;
  const stop = keepAlive(new FakeSocket(), { pingIntervalMs: 5, silenceLimitMs: 20 }, () => (dead = true));
  stop();
  await sleep(50);
  t.false(dead);
});
