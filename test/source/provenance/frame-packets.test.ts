import test from 'ava';
import { framePackets } from '../../../src/source/provenance/frame-packets.ts';

function framesOf(...bytes: (number | Uint8Array)[]): { tag: number; length: number }[] {
  const data = bytes.flatMap((part) => (typeof part === 'number' ? [part] : [...part]));
  return [...framePackets(Uint8Array.from(data))].map(({ tag, body }) => ({ tag, length: body.length }));
}

const reads = test.macro({
  title: (_, what: string) => `a packet is read that has ${what}`,
  exec(t, _: string, header: readonly number[], length: number) {
    t.deepEqual(framesOf(...header, new Uint8Array(length), 0xc0 + 13, 1, 7), [
      { tag: 2, length },
      { tag: 13, length: 1 },
    ]);
  },
});

test(reads, 'an old length of one byte', [0x88, 200], 200);
test(reads, 'an old length of two bytes', [0x89, 1, 0], 256);
test(reads, 'an old length of four bytes', [0x8a, 0, 0, 1, 0], 256);
test(reads, 'a new length of one byte', [0xc2, 191], 191);
test(reads, 'a new length of two bytes', [0xc2, 192, 1], 193);
test(reads, 'a new length of five bytes', [0xc2, 255, 0, 0, 1, 0], 256);

test('a packet without a length lasts until the end', (t) => {
  t.deepEqual(framesOf(0x8b, new Uint8Array(9)), [{ tag: 2, length: 9 }]);
});

test('a packet in chunks is joined', (t) => {
  const frames = [...framePackets(Uint8Array.of(0xc2, 225, 1, 2, 224, 3, 2, 4, 5))];
  t.deepEqual(frames, [{ tag: 2, body: Uint8Array.of(1, 2, 3, 4, 5) }]);
});

const fails = test.macro({
  title: (_, what: string) => `${what} is refused`,
  exec(t, _: string, bytes: readonly number[], message: string) {
    t.throws(() => framesOf(...bytes), { name: 'PgpError', message });
  },
});

test(fails, 'a text', [0x2d, 0x2d], 'openpgp: invalid data: tag byte does not have MSB set');
test(fails, 'a packet that ends early', [0xc2, 5, 1], 'unexpected EOF');
test(fails, 'a length that ends early', [0xc2, 255, 0, 0], 'unexpected EOF');
test(fails, 'a packet that is longer than any data', [0xc2, 255, 255, 255, 255, 255], 'unexpected EOF');
