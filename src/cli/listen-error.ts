/** Flags that change where a server listens. */
export interface ListenFlags {
  port: string;
  host: string;
}

/**
 * Returns an error with the reason why a server could not listen, and the flag to change. Returns
 * any other error as it is.
 */
export function explainListenError(error: unknown, { port, host }: ListenFlags): unknown {
  if (!isListenError(error)) return error;
  const address = `${error.address}${error.port === undefined ? '' : `:${error.port}`}`;
  const text = {
    EADDRINUSE: `${address} is in use; stop the program that listens there, or choose another port with ${port}`,
    EACCES: `no permission to listen on ${address}; choose a port above 1023 with ${port}`,
    EADDRNOTAVAIL: `${address} is not an address of this machine; choose another with ${host}`,
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
