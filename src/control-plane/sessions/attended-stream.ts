import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { channels, encodeMessage, messagesOf, writeMessages } from '../../protocol/streams/messages.ts';
import type { Attendance } from './sessions.ts';

/** Returns the stream of a session for a program: its reader gets what is recorded. */
export function attendedStream(stream: Duplex, attendance: Attendance): Duplex {
  const [outer, inner] = duplexPair();
  const over = new AbortController();
  const { signal } = over;
  const fail = (error: unknown) => {
    const reason = error instanceof Error ? error : undefined;
    outer.destroy(reason);
    stream.destroy(reason);
  };
  const write = async (to: Duplex, message: Buffer) => {
    if (!to.write(message)) await once(to, 'drain', { signal });
  };
  const passOutput = async () => {
    for await (const { channel, bytes } of messagesOf(stream, [channels.output, channels.error])) {
      await attendance.output(channel, bytes);
      await writeMessages(inner, { channel, bytes }, signal);
    }
    inner.end();
  };
  const passInput = async () => {
    for await (const { channel, bytes } of messagesOf(inner, [channels.input, channels.control])) {
      if (channel === channels.control) attendance.control(bytes);
      await write(stream, encodeMessage({ channel, bytes }));
    }
    stream.end();
  };
  inner.on('error', () => undefined); // those of `outer` and `stream` say more
  stream.on('error', fail);
  outer.once('close', () => {
    over.abort();
    stream.destroy();
    inner.destroy();
    void attendance.close();
  });
  passOutput().catch(fail);
  passInput().catch(fail);
  return outer;
}
