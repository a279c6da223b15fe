/** Flags that change where a server listens. */
export interface ListenFlags {
  port: string;
  host: string;
}

/**
 * Returns an error with the reason why a server could not listen, and the flag to change. Returns
 * any other error as it is. `flagsOf` returns the flags of the server that uses a port.
 */
export function explainListenError(error: unknown, flagsOf: (port: number | undefined) => ListenFlags): unknown {
  if (!isListenError(error)) return error;
  const flags = flagsOf(error.port);
  const host = error.address.includes(':') ? `[${error.address}]` : error.address;
  const address = error.port === undefined ? host : `${host}:${error.port}`;
  const text = {
    EADDRINUSE: `${address} is in use; stop the program that listens there, or choose another port with ${flags.port}`,
    EACCES: `no permission to listen on ${address}; choose a port above 1023 with ${flags.port}`,
    EADDRNOTAVAIL: `${address} is not an address of this machine; choose another with ${flags.host}`,
  }[error.code];
  return text === undefined ? error : new Error(text, { cause: error });
}

/** Whether an error is the one that Node reports for `server.listen`. */
function isListenError(error: unknown): error is Error & { code: string; address: string; port?: number } {
  return (
    error instanceof Error &&
    'syscall' in error &&
    error.syscall === 'listen' &&
    'code' in error &&
    typeof error.code === 'string' &&
    'address' in error
  );
}
