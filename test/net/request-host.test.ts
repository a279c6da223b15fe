import test from 'ava';
import { namesThisServer } from '../../src/net/request-host.ts';

for (const [host, isThis] of [
  ['localhost', true],
  ['LocalHost:8088', true],
  ['127.0.0.1:8088', true],
  ['[::1]:8088', true],
  ['server.example:8088', true],
  ['10.0.0.7:8088', true],
  ['10.0.0.8', false],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['localhost@evil.example', false],
  ['evil.example/localhost', false],
  ['localhost.', false],
  ['', false],
  [undefined, false],
] as const) {
  test(`the Host header ${host ?? 'that is missing'} ${isThis ? 'names' : 'does not name'} this server`, (t) => {
    const request = { headers: { host }, socket: { localAddress: '::ffff:10.0.0.7' } };
    t.is(namesThisServer(request, 'Server.example'), isThis);
  });
}
