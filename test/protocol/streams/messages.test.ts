import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import {
  type ChannelMessage,
  channels,
  encodeMessage,
  maxControlBytes,
  maxMessageBytes,
  MessageError,
  messagesOf,
  writeMessages,
} from '../../../src/protocol/streams/messages.ts';
import fc from '../../support/fast-check.ts';

const all = Object.values(channels);

async function* inChunks(bytes: Buffer, sizes: Iterable<number>) {
  let start = 0;
  for (const size of sizes) {
    await Promise.resolve();
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

async function read(bytes: Buffer, sizes: Iterable<number> = [], allowed = all) {
  const messages = messagesOf(Readable.from(inChunks(bytes, sizes)), allowed);
  return (await Readable.from(messages).toArray()) as ChannelMessage[]; // it yields nothing else
}

/** Joins the parts of messages that follow each other in a channel. */
function joined(messages: readonly ChannelMessage[]) {
  return all.map((channel) =>
    Buffer.concat(messages.filter((one) => one.channel === channel).map(({ bytes }) => bytes)),
  );
}

const message = fc.record({
  channel: fc.constantFrom(...all),
  bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

test('messages arrive whatever the pieces in which the stream comes', async (t) => {
  const property = fc.asyncProperty(
    fc.array(message),
    fc.array(fc.integer({ min: 1, max: 50 })),
    async (sent, sizes) => {
      const controls = sent.filter(({ channel }) => channel === channels.control);
      const messages = await read(Buffer.concat(sent.map(encodeMessage)), sizes);
      t.deepEqual(joined(messages), joined(sent));
      t.is(messages.filter(({ channel }) => channel === channels.control).length, controls.length);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test('outputs in parts become few messages, which are not too long for the other end', async (t) => {
  const lengths = [0, 1, 4096, maxMessageBytes, 4096, 2 * maxMessageBytes, 1];
  const bytes = lengths.map((length, index) => Buffer.alloc(length, index));
  const stream = new PassThrough();
  const written = buffer(stream);
  await writeMessages(stream, { channel: channels.output, bytes });
  stream.end();
  const whole = Buffer.concat(bytes);
  const wire = await written;
  t.is(wire.length - whole.length, 5 * Math.ceil(whole.length / maxMessageBytes));
  const messages = await read(wire);
  t.deepEqual(Buffer.concat(messages.map((message) => message.bytes)), whole);
});

const refused = test.macro({
  title: (title = '') => `refuses ${title}`,
  async exec(t, bytes: Buffer, text: RegExp) {
    const reading = read(bytes, [], [channels.input, channels.control]);
    const error = await t.throwsAsync(reading, { instanceOf: MessageError });
    t.regex(error.message, text);
  },
});

const head = (channel: number, length: number) =>
  Buffer.from([channel, ...[24, 16, 8, 0].map((bit) => (length >>> bit) & 255)]);

test('an unknown channel', refused, head(9, 0), /channel 9, which is not allowed/);
test('a channel of the other direction', refused, head(channels.output, 0), /channel 1, which is not allowed/);
test('a message that is too long', refused, head(channels.input, maxMessageBytes + 1), /at most 65531/);
test('a control message that is too long', refused, head(channels.control, maxControlBytes + 1), /at most 4096/);
test('a length of 4 GiB', refused, head(channels.input, 0xffffffff), /has 4294967295 bytes/);
test('a stream that ends in a head', refused, head(channels.input, 1).subarray(0, 3), /ended within a message/);
test('a stream that ends in a message', refused, head(channels.input, 1), /ended within a message/);

test('a message of single bytes takes time that is linear in its length', async (t) => {
  const bytes = encodeMessage({ channel: channels.input, bytes: Buffer.alloc(maxMessageBytes) });
  const parts = await read(bytes, new Array<number>(bytes.length - 1).fill(1));
  t.is(parts.length, maxMessageBytes);
  t.timeout(10_000);
});
