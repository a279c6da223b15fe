import test from 'ava';
import { isLocalHost } from '../../src/net/local-host.ts';

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
