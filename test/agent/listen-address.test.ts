import test from 'ava';
import { isLocalHost, parseListenAddress } from '../../src/agent/listen-address.ts';

for (const [text, host, port] of [
  ['8089', '127.0.0.1', 8089],
  ['0.0.0.0:8089', '0.0.0.0', 8089],
  ['localhost:0', 'localhost', 0],
  ['[::1]:8089', '::1', 8089],
  ['agent.example:65535', 'agent.example', 65_535],
] as const) {
  test(`${text} is ${host} and ${port}`, (t) => t.deepEqual(parseListenAddress(text), { host, port }));
}

for (const text of ['', ':8089', '65536', '::1:8089', 'a b:1', 'localhost', '127.0.0.1:', '1e3', '-1']) {
  test(`${JSON.stringify(text)} is no address`, (t) => t.is(parseListenAddress(text), undefined));
}

for (const [host, local] of [
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
] as const) {
  test(`${host} is ${local ? '' : 'not '}local`, (t) => t.is(isLocalHost(host), local));
}
