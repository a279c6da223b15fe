import type { Result } from '../../protocol/messages.ts';
import type { Screen, TerminalSize } from './screen.ts';

/** Something that the first user of a session gets to know about others. */
export interface SessionNotice {
  readonly state: 'waiting' | 'joined' | 'left';
  readonly user?: string;
}

/** How a session has ended. */
export interface SessionEnd {
  /** The result of the command, if it has arrived. */
  readonly result?: Result;
  /** Why the connection has ended, if there is no result. */
  readonly problem?: string;
}

export interface ConnectSessionOptions {
  socket: WebSocket;
  screen: Pick<Screen, 'write'>;
  onOpen: () => void;
  onNotice: (notice: SessionNotice) => void;
  onEnd: (end: SessionEnd) => void;
}

/** A session of one's own, or one of someone else that is watched. */
export interface ConnectedSession {
  input(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Ends the session of someone else. */
  terminate(): void;
  /** Closes the connection. */
  close(): void;
}

/** The channels of a session, see docs/protocol.md. */
const channels = { input: 0, output: 1, error: 2 } as const;

/** Bytes that the terminal may not have drawn yet. */
const maxWaiting = 32 * 1024 * 1024;

/** The most bytes of input in one message. */
const maxInput = 32 * 1024;

/** Status codes with which the control plane closes the WebSocket, see docs/protocol.md. */
const closings: Readonly<Record<number, string>> = {
  1000: 'The session has ended.',
  1008: 'The control plane has refused what this page has sent.',
  1013: 'The session has more output than this page can read.',
  4404: 'The session has ended, or has not begun.',
};

/** Connects a WebSocket of a session with the terminal. */
export function connectSession({ socket, screen, onOpen, onNotice, onEnd }: ConnectSessionOptions): ConnectedSession {
  let waiting = 0;
  let isOpened = false;
  let end: SessionEnd | undefined;
  const draw = (bytes: Uint8Array) => {
    waiting += bytes.length;
    if (waiting > maxWaiting) {
      end ??= { problem: 'The session has more output than this page can draw, so the page has left it.' };
      socket.close();
      return;
    }
    void screen.write(bytes).then(() => (waiting -= bytes.length));
  };
  const read = (text: string) => {
    // as docs/protocol.md lists them
    const { type, payload } = JSON.parse(text) as { type: string; payload: unknown };
    if (type === 'session') onNotice(payload as SessionNotice);
    if (type === 'result') end = { result: payload as Result };
    if (type === 'error') end ??= { problem: (payload as { message: string }).message };
  };
  socket.addEventListener('open', () => {
    isOpened = true;
    onOpen();
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') {
      read(data);
      return;
    }
    const bytes = new Uint8Array(data);
    if (bytes[0] === channels.output || bytes[0] === channels.error) draw(bytes.subarray(1));
  });
  socket.addEventListener('close', ({ code }) => {
    const lost = isOpened
      ? 'The connection was lost, and the session has ended with it.'
      : 'The session could not be opened: you may not, or it has ended.';
    onEnd(end ?? { problem: closings[code] ?? lost });
  });
  const send = (data: string | Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  };
  return {
    input(bytes) {
      for (let start = 0; start < bytes.length; start += maxInput) {
        send(Uint8Array.of(channels.input, ...bytes.subarray(start, start + maxInput)));
      }
    },
    resize: ({ columns, rows }) => send(JSON.stringify({ type: 'resize', columns, rows })),
    terminate: () => send(JSON.stringify({ type: 'terminate' })),
    close: () => socket.close(),
  };
}
