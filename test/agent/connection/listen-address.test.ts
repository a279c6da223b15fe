import test from 'ava';
import { parseListenAddress } from '../../../src/agent/connection/listen-address.ts';

for (const [text, host, port] of [
  ['8089', '127.0.0.1', 8089],
  ['0.0.0.0:8089', '0.0.0.0', 8089],
  ['localhost:0', 'localhost', 0],
  ['[::1]:8089', '::1', 8089],
  ['agent.example:65535', 'agent.example', 65_535],
] as const) {
  test(`reads ${text} as host ${host} and port ${port}`, (t) => t.deepEqual(parseListenAddress(text), { host, port }));
}

for (const text of ['', ':8089', '65536', '::1:8089', 'a b:1', 'localhost', '127.0.0.1:', '1e3', '-1']) {
  test(`rejects ${JSON.stringify(text)}`, (t) => t.is(parseListenAddress(text), undefined));
}
