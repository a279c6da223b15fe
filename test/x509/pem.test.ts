import test from 'ava';
import { decodePem, encodePem } from '../../src/x509/pem.ts';

test('decodes what it encodes', (t) => {
  const der = Uint8Array.from({ length: 100 }, (_, i) => i);
  const text = encodePem({ type: 'CERTIFICATE', der });
  t.deepEqual(
    text.split('\n').map((line) => line.length),
    [27, 64, 64, 8, 25, 0],
  );
  t.deepEqual(decodePem(`some text\n${text}`), { type: 'CERTIFICATE', der });
});

test('skips invalid blocks', (t) => {
  const block = (begin: string, body: string, end: string): string =>
    `-----BEGIN ${begin}-----\n${body}\n-----END ${end}-----\n`;
  t.is(decodePem(block('A', 'YQ==', 'B')), undefined);
  t.is(decodePem(block('A', 'YQ=', 'A')), undefined);
  t.deepEqual(decodePem(block('A', 'Y', 'A') + block('B', 'YQ==', 'B')), { type: 'B', der: Uint8Array.of(97) });
});

test('ignores headers', (t) => {
  t.deepEqual(decodePem('-----BEGIN A-----\nName: value\n\nYQ==\n-----END A-----\n'), {
    type: 'A',
    der: Uint8Array.of(97),
  });
});
