import test from 'ava';
import { readLogRecords } from '../../../src/dashboard/server/log-records.ts';
import { encodeLogRecord } from '../../../src/protocol/streams/log-records.ts';

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

async function read(bytes: Uint8Array, size = 5) {
  const records = [];
  for await (const record of readLogRecords(chunksOf(bytes, size))) records.push(record);
  return records;
}

const cursor = { pod: 'web-0', container: 'app', uid: 'u', run: 0, time: '', lines: 1 };

test('the records of an agent are read from chunks of any size', async (t) => {
  const stream = Buffer.concat([
    encodeLogRecord({ cursor }, Buffer.from('a line\n')),
    encodeLogRecord({ notice: 'a line is missing' }),
    encodeLogRecord({ cursor: { ...cursor, lines: 2 } }, Buffer.alloc(1024 * 1024, 'x')),
  ]);
  for (const size of [64 * 1024, stream.length]) {
    const records = await read(stream, size);
    t.deepEqual(records[0]?.cursor, cursor);
    t.is(new TextDecoder().decode(records[0]?.bytes), 'a line\n');
    t.is(records[1]?.notice, 'a line is missing');
    t.is(records[2]?.bytes.length, 1024 * 1024);
  }
  t.is((await read(stream.subarray(0, 200), 1)).length, 2);
});

test('a record that is cut off is left out, and what is none is refused', async (t) => {
  const record = encodeLogRecord({ cursor }, Buffer.from('a line\n'));
  t.is((await read(Buffer.concat([record, record.subarray(0, -1)]))).length, 1);
  await t.throwsAsync(read(Buffer.from('"text"\n')), { message: /cannot be read/ });
  await t.throwsAsync(read(Buffer.from('{"size":-1}\n')), { message: /cannot be read/ });
  await t.throwsAsync(read(Buffer.from('{"size":9e9}\n')), { message: /cannot be read/ });
  await t.throwsAsync(read(Buffer.alloc(100_000, 'x'), 4096), { message: /cannot be read/ });
  t.deepEqual((await read(Buffer.from('{"cursor":{"pod":1}}\n')))[0]?.cursor, undefined);
});

test('a large record in small chunks takes linear time', async (t) => {
  const stream = encodeLogRecord({ cursor }, Buffer.alloc(1024 * 1024, 'x'));
  const started = performance.now();
  t.is((await read(stream, 16))[0]?.bytes.length, 1024 * 1024);
  t.true(performance.now() - started < 5000);
});
