import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { ChangeNotice } from '../async/index.ts';

/** Bytes of messages that wait to be read before the connection is paused. */
const maxWaitingBytes = 128 * 1024;

/** Bytes that a message counts besides its own. */
const messageBytes = 128;

export interface ReceivedMessage {
  data: Buffer;
  isBinary: boolean;
}

/** The part of a WebSocket that is read. */
export type BatchedSocket = Pick<WebSocket, 'on' | 'once' | 'pause' | 'resume' | 'isPaused'>;

/**
 * Yields the messages of a socket until it closes: all of those that have arrived since the last
 * time, because the API server sends many small ones and each step costs time. The socket is not
 * read while 128 KiB wait. Call it in the turn in which the socket was created. Fails with the
 * error of the socket.
 */
export function messageBatches(socket: BatchedSocket): AsyncIterable<ReceivedMessage[]> {
  const changed = new ChangeNotice();
  let waiting: ReceivedMessage[] = [];
  let bytes = 0;
  const end: { error?: Error; isClosed?: boolean } = {};
  socket.on('message', (data: Buffer, isBinary) => {
    // the default of ws is one buffer for each message
    waiting.push({ data, isBinary });
    bytes += messageBytes + data.length;
    if (bytes >= maxWaitingBytes && !socket.isPaused) socket.pause();
    changed.give();
  });
  socket.on('error', (cause) => {
    end.error ??= cause;
    changed.give();
  });
  socket.once('close', () => {
    end.isClosed = true;
    changed.give();
  });
  return (async function* () {
    for (;;) {
      while (waiting.length === 0) {
        if (end.error) throw end.error;
        if (end.isClosed === true) return;
        await changed.next();
        await nextTurn(); // so that all messages of one read are there
      }
      const batch = waiting;
      waiting = [];
      bytes = 0;
      if (socket.isPaused) socket.resume();
      yield batch;
    }
  })();
}
