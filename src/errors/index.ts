/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns what was thrown. Anything but an error becomes the message of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Returns the code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error of the file system says that a file, or a folder above it, does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Ends of Go's texts for the codes of Node's errors about connections. */
const goTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** Returns the text of Go for an error of Node about a connection, if it is known. */
export function goNetworkText(error: unknown): string | undefined {
  if (error instanceof AggregateError) return goNetworkText(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'ENOTFOUND' && 'hostname' in error) {
    return `dial tcp: lookup ${String(error.hostname)}: no such host`;
  }
  const text = goTexts[String(error.code)];
  if (text === undefined || !('address' in error) || !('port' in error)) return undefined;
  const address = String(error.address);
  const host = address.includes(':') ? `[${address}]` : address;
  return `dial tcp ${host}:${String(error.port)}: ${text}`;
}
