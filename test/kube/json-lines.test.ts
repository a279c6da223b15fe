import test from 'ava';
import { readJsonLines } from '../../src/kube/json-lines.ts';
import fc from '../support/fast-check.ts';

async function read(chunks: Uint8Array[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of readJsonLines(stream(chunks))) values.push(value);
  return values;
}

async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

test('yields whole values wherever the stream is cut, even inside a character', async (t) => {
  const value = fc.record({ text: fc.string({ unit: 'grapheme' }), list: fc.array(fc.integer()) });
  const property = fc.asyncProperty(fc.array(value), fc.array(fc.nat()), async (values, cuts) => {
    const bytes = Buffer.from(values.map((item) => `${JSON.stringify(item)}\n`).join(''));
    const offsets = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    const chunks = offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
    t.deepEqual(await read(chunks), values);
  });
  await fc.assert(property, { numRuns: 100 });
});

test('skips empty lines and an incomplete last line', async (t) => {
  t.deepEqual(await read([Buffer.from('{"a":1}\n\n{"b":2}\n{"c":')]), [{ a: 1 }, { b: 2 }]);
});

test('fails for a line that is not JSON', async (t) => {
  await t.throwsAsync(read([Buffer.from('{"a":1}\nnope\n')]), { instanceOf: SyntaxError });
});

test('reads no more of the stream than it yields', async (t) => {
  let taken = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      taken++;
      yield await Promise.resolve(Buffer.from('{}\n'));
    }
  }
  const lines = readJsonLines(endless());
  await lines.next();
  await lines.next();
  t.is(taken, 2);
  await lines.return();
});
