import { WebSocket } from 'ws';
import { bearer } from '../../protocol/authorization.ts';
import { MAX_FRAME_BYTES } from '../../protocol/limits.ts';
import { SUBPROTOCOL, type WireForm } from '../../protocol/subprotocol.ts';

export interface Dial {
  url: string;
  /** `plain` offers no subprotocol. */
  form: WireForm;
  token: string | undefined;
  handshakeTimeoutMs: number;
  signal: AbortSignal;
}

/** A connection that did not come about. */
export class DialError extends Error {
  override readonly name = 'DialError';
  /** The server would speak, but selects no subprotocol. */
  readonly isPlainServer: boolean;

  constructor(message: string) {
    super(message);
    this.isPlainServer = message === NO_SUBPROTOCOL;
  }
}

/** What ws says of a server that answers an offer of subprotocols with none. */
const NO_SUBPROTOCOL = 'Server sent no subprotocol';

/** Opens a WebSocket; `onOpen` gets it in the turn in which it opens, so that no frame is missed. Fails with `DialError`. */
export function dial({ url, form, token, handshakeTimeoutMs, signal }: Dial, onOpen: (socket: WebSocket) => void) {
  return new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, form === 'v1' ? [SUBPROTOCOL] : [], {
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      ...(token !== undefined && { headers: { authorization: bearer(token) } }),
    });
    const abort = () => socket.terminate();
    const onError = (error: Error) => reject(new DialError(error.message));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', onError);
    socket.once('close', () => signal.removeEventListener('abort', abort));
    socket.once('open', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', onError);
      onOpen(socket);
      resolve();
    });
  });
}
