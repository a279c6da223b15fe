import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { maxDataBytes } from './frame.ts';

/** The numbers of the channels of a stream in both directions. */
export const channels = { input: 0, output: 1, error: 2, control: 3 } as const;

type ChannelNumber = (typeof channels)[keyof typeof channels];

/** The largest message of the channel `control`, in bytes. */
export const maxControlBytes = 4096;

/** Bytes of the number of the channel, and of the length. */
const headBytes = 5;

/** The largest message of the other channels, in bytes: one frame has the whole message. */
export const maxMessageBytes = maxDataBytes - headBytes;

/** A part of what a channel carries, or a whole message of the channel `control`. */
export interface ChannelMessage<Channel extends ChannelNumber = ChannelNumber> {
  channel: Channel;
  bytes: Buffer;
}

/** A stream in which the other end breaks the rules of messages. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  readonly code = 'bad_request';
}

/** Writes a message: its channel (1 byte), its length (4 bytes), and its bytes. */
export function encodeMessage({ channel, bytes }: ChannelMessage): Buffer {
  return Buffer.concat([headOf(channel, bytes.length), bytes]);
}

function headOf(channel: ChannelNumber, length: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(channel);
  head.writeUInt32BE(length, 1);
  return head;
}

/**
 * Writes bytes, which may be in parts, as messages that are not too long, and waits while the
 * stream is full. Rejects with the reason of a signal.
 */
export async function writeMessages(
  stream: Writable,
  { channel, bytes }: { channel: ChannelNumber; bytes: Buffer | readonly Buffer[] },
  signal?: AbortSignal,
): Promise<void> {
  for (const { parts, length } of groupsOf(Buffer.isBuffer(bytes) ? [bytes] : bytes)) {
    stream.cork();
    let hasRoom = stream.write(headOf(channel, length));
    for (const part of parts) hasRoom = stream.write(part);
    stream.uncork();
    if (!hasRoom) await once(stream, 'drain', signal && { signal });
  }
}

/** Yields the parts of one message after the other. Those that are too long are cut, not copied. */
function* groupsOf(bytes: readonly Buffer[]): Generator<{ parts: readonly Buffer[]; length: number }> {
  let parts: Buffer[] = [];
  let length = 0;
  for (const whole of bytes) {
    for (let rest = whole; rest.length > 0;) {
      const part = rest.subarray(0, maxMessageBytes - length);
      rest = rest.subarray(part.length);
      parts.push(part);
      length += part.length;
      if (length < maxMessageBytes) continue;
      yield { parts, length };
      parts = [];
      length = 0;
    }
  }
  if (length > 0) yield { parts, length };
}

/**
 * Yields the messages of a stream. Bytes are yielded as they arrive, so a message can come in
 * several parts; only one of the channel `control` is whole. Fails with `MessageError` if a message
 * is too long, has another channel than the allowed ones, or is cut off by the end. The stream is
 * not destroyed.
 */
export async function* messagesOf<Channel extends ChannelNumber>(
  source: Readable,
  allowed: readonly Channel[],
): AsyncGenerator<ChannelMessage<Channel>> {
  let head = Buffer.alloc(0);
  let channel: Channel | undefined;
  /** Bytes of the message that have not arrived. */
  let left = 0;
  let control: Buffer[] = [];
  const chunks: AsyncIterable<Buffer> = source.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      if (channel === undefined) {
        const part = rest.subarray(0, headBytes - head.length);
        rest = rest.subarray(part.length);
        head = Buffer.concat([head, part]);
        if (head.length < headBytes) break;
        ({ channel, left } = readHead(head, allowed));
        head = Buffer.alloc(0);
      }
      const bytes = rest.subarray(0, left);
      rest = rest.subarray(bytes.length);
      left -= bytes.length;
      if (channel === channels.control) {
        control.push(bytes);
        if (left === 0) yield { channel, bytes: Buffer.concat(control) };
        if (left === 0) control = [];
      } else if (bytes.length > 0) {
        yield { channel, bytes };
      }
      if (left === 0) channel = undefined;
    }
  }
  if (channel !== undefined || head.length > 0) throw new MessageError('the stream has ended within a message');
}

function readHead<Channel extends ChannelNumber>(
  head: Buffer,
  allowed: readonly Channel[],
): { channel: Channel; left: number } {
  const number = head.readUInt8();
  const left = head.readUInt32BE(1);
  const channel = allowed.find((known) => known === number);
  if (channel === undefined) throw new MessageError(`a message has the channel ${number}, which is not allowed`);
  const most = channel === channels.control ? maxControlBytes : maxMessageBytes;
  if (left > most) throw new MessageError(`a message has ${left} bytes, and may have at most ${most}`);
  return { channel, left };
}
