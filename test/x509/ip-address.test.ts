import test from 'ava';
import { ipAddressBytes } from '../../src/x509/ip-address.ts';

const parses = test.macro<[text: string, bytes: number[] | undefined]>({
  title: (_, text, bytes) => (bytes === undefined ? `rejects ${text}` : `parses ${text}`),
  exec(t, text, bytes) {
    t.deepEqual(ipAddressBytes(text), bytes && Uint8Array.from(bytes));
  },
});

test(parses, '127.0.0.1', [127, 0, 0, 1]);
test(parses, '::ffff:1.2.3.4', [1, 2, 3, 4]);
test(parses, 'fd00::1:2', [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2]);
test(parses, '01.2.3.4', undefined);
test(parses, 'fe80::1%eth0', undefined);
test(parses, 'localhost', undefined);
