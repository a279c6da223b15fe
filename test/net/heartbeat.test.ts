import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import test from 'ava';
import { defaultHeartbeat, keepAlive } from '../../src/net/heartbeat.ts';

mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });

class FakeSocket extends EventEmitter {
  pings = 0;
  isPaused = false;
  ping(): void {
    this.pings++;
  }
}

test('by default a silent peer is dead within 30 s, after more than one ping', (t) => {
  t.true(defaultHeartbeat.silenceLimitMs <= 30_000);
  t.true(defaultHeartbeat.pingIntervalMs * 2 < defaultHeartbeat.silenceLimitMs);
});

test('reports a silent peer once, and stops pinging it', (t) => {
  const socket = new FakeSocket();
  let deaths = 0;
  keepAlive(socket, { pingIntervalMs: 10, silenceLimitMs: 45 }, () => deaths++);
  mock.timers.tick(44);
  t.is(deaths, 0);
  mock.timers.tick(1);
  t.is(deaths, 1);
  socket.emit('pong');
  mock.timers.tick(100);
  t.is(deaths, 1);
  t.is(socket.pings, 4);
});

test('a peer that is not read is not silent', (t) => {
  const socket = new FakeSocket();
  let dead = false;
  keepAlive(socket, { pingIntervalMs: 1000, silenceLimitMs: 100 }, () => (dead = true));
  socket.isPaused = true;
  for (let i = 0; i < 3; i++) mock.timers.tick(100);
  socket.isPaused = false;
  mock.timers.tick(99);
  t.false(dead);
  mock.timers.tick(1);
  t.true(dead);
});

for (const traffic of ['message', 'ping', 'pong']) {
  test(`a ${traffic} keeps a peer alive`, (t) => {
    const socket = new FakeSocket();
    let dead = false;
    keepAlive(socket, { pingIntervalMs: 1000, silenceLimitMs: 100 }, () => (dead = true));
    for (let i = 0; i < 8; i++) {
      mock.timers.tick(99);
      socket.emit(traffic);
    }
    t.false(dead);
    mock.timers.tick(100);
    t.true(dead);
  });
}

test('a stopped heartbeat reports nothing', (t) => {
  let dead = false;
  const stop = keepAlive(new FakeSocket(), { pingIntervalMs: 5, silenceLimitMs: 20 }, () => (dead = true));
  stop();
  mock.timers.tick(50);
  t.false(dead);
});
