/**
 * Reasons why a stream ends early. `disconnected`: its connection is lost; open another stream to
 * continue. `protocol`: the other end breaks the protocol, so the connection has to be closed.
 */
export type StreamErrorKind = 'disconnected' | 'protocol' | 'reset';

/** A stream that ended before both ends had sent everything. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly kind: StreamErrorKind;
  /** Of a stream that was reset: the error code that the other end has sent. */
  readonly code: string | undefined;

  constructor(kind: StreamErrorKind, message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}
