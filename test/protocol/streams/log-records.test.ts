import test from 'ava';
import { encodeLogRecord, type LogRecord, readLogRecords } from '../../../src/protocol/streams/log-records.ts';

const cursor = { pod: 'web-0', container: 'app', uid: 'u', run: 0, time: '', lines: 0 };

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function all(bytes: Buffer, size = 64 * 1024): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of readLogRecords(chunksOf(bytes, size))) records.push(record);
  return records;
}

const stream = Buffer.concat([
  encodeLogRecord({ cursor }),
  encodeLogRecord({ cursor }, Buffer.from('one\n{"size":9}\n')),
  encodeLogRecord({ notice: 'missing' }),
]);

test('reads records wherever chunks end', async (t) => {
  for (const size of [1, 3, 50, 10_000]) {
    const records = await all(stream, size);
    t.deepEqual(
      records.map(({ bytes, notice }) => notice ?? bytes.toString()),
      ['', 'one\n{"size":9}\n', 'missing'],
    );
  }
});

test('a record that is cut off is left out', async (t) => {
  for (let end = 0; end < stream.length; end++) t.true((await all(stream.subarray(0, end))).length < 3);
});

const hostile: Record<string, Buffer> = {
  'a header without an end': Buffer.alloc(10 * 1024 * 1024, 'x'),
  'text that is not JSON': Buffer.from('no\n'),
  'a size that is too large': Buffer.from(`{"size":${2 ** 40}}\n`),
  'a negative size': Buffer.from('{"size":-1}\n'),
  'a cursor with other fields': Buffer.from('{"cursor":{"pod":1}}\n'),
};
for (const [what, bytes] of Object.entries(hostile)) {
  test(`refuses ${what}`, async (t) => {
    await t.throwsAsync(all(bytes), { message: /cannot be read: its header/ });
  });
}
