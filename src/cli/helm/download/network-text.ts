import { messageOf } from '../../../errors/index.ts';
import { quote } from '../../../go/strconv.ts';
import { SourceError } from '../../../source/source-error.ts';

/**
 * Returns Go's text for the failure of a GET of this URL without a response, and the error's own
 * text if Go's is not known.
 */
export function networkText(error: unknown, url?: string): string {
  if (!(error instanceof SourceError)) return messageOf(error);
  const failure = failureText(error.cause);
  const request = url === undefined ? '' : `Get ${quote(url)}: `;
  if (failure !== undefined) return `${request}${failure}`;
  if (error.code !== 'repository_timeout') return error.message;
  return `${request}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
}

/** Returns Go's text for an error of Node about a connection. */
function failureText(error: unknown): string | undefined {
  if (error instanceof AggregateError) return failureText(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'ECONNREFUSED' && 'address' in error && 'port' in error) {
    const address = String(error.address);
    const host = address.includes(':') ? `[${address}]` : address;
    return `dial tcp ${host}:${String(error.port)}: connect: connection refused`;
  }
  if (error.code === 'ENOTFOUND' && 'hostname' in error) {
    return `dial tcp: lookup ${String(error.hostname)}: no such host`;
  }
  return undefined;
}
