import test from 'ava';
import { isInsecureTransport } from '../../src/net/local-host.ts';

for (const [url, isInsecure] of [
  ['ws://control-plane.example', true],
  ['http://10.0.0.1:8088', true],
  ['ws://localhost.example', true],
  ['ws://0.0.0.0', true],
  ['wss://control-plane.example', false],
  ['https://10.0.0.1', false],
  ['ws://localhost:8088', false],
  ['ws://127.0.0.1:8088', false],
  ['http://[::1]:8088', false],
] as const) {
  test(`${url} is ${isInsecure ? '' : 'not '}insecure`, (t) => t.is(isInsecureTransport(url), isInsecure));
}
