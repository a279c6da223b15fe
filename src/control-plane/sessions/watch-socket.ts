import type { WebSocket } from 'ws';
import { closeSocket } from '../../net/close-socket.ts';
import { defaultHeartbeat, keepAlive } from '../../net/heartbeat.ts';
import { parseJson } from '../../protocol/json.ts';
import type { Sessions } from './sessions.ts';

/** Bytes that a watcher may leave unread. */
const maxUnreadBytes = 4 * 1024 * 1024;

/** Status codes of RFC 6455. */
const closed = { normally: 1000, byViolation: 1008, tooSlow: 1013 } as const;

export interface WatchOptions {
  sessions: Pick<Sessions, 'join'>;
  key: string;
  /** Name of the watcher. */
  user: string;
  /** Aborts when the credential is not valid any more, or the control plane stops. */
  signal: AbortSignal;
}

/**
 * Shows a session to someone else than its first person, as binary messages like those of the
 * session. A watcher sends nothing but `{"type":"terminate"}`, which ends the session. One that
 * reads too slowly is sent away, so that no one waits for it. Throws `ControlPlaneError`
 * `stream_ended`.
 */
export function serveWatcher(socket: WebSocket, { sessions, key, user, signal }: WatchOptions): void {
  const end = (code: number, reason: string) => closeSocket(socket, code, reason);
  const { leave, terminate } = sessions.join(key, {
    user,
    send(channel, bytes) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > maxUnreadBytes) end(closed.tooSlow, 'the session is read too slowly');
      else socket.send(Buffer.concat([Buffer.of(channel), bytes]));
    },
    end: () => end(closed.normally, 'the session has ended'),
  });
  const stop = () => end(closed.normally, 'the watching is over');
  signal.addEventListener('abort', stop, { once: true });
  const stopHeartbeat = keepAlive(socket, defaultHeartbeat, () => socket.terminate());
  socket.on('error', () => socket.terminate());
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary && isTerminate(data)) terminate();
    else end(closed.byViolation, 'watchers can only send {"type":"terminate"}');
  });
  socket.once('close', () => {
    stopHeartbeat();
    signal.removeEventListener('abort', stop);
    leave();
  });
}

function isTerminate(data: Buffer): boolean {
  try {
    const message = parseJson(data.toString());
    return typeof message === 'object' && message !== null && 'type' in message && message.type === 'terminate';
  } catch {
    return false;
  }
}
