import { goNetworkText, messageOf } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import { SourceError } from '../source-error.ts';

/**
 * Returns Go's text for the failure of a GET of this URL without a response, and the error's own
 * text if Go's is not known.
 */
export function networkText(error: unknown, url?: string): string {
  if (!(error instanceof SourceError)) return messageOf(error);
  const failure = goNetworkText(error.cause);
  const request = url === undefined ? '' : `Get ${quote(url)}: `;
  if (failure !== undefined) return `${request}${failure}`;
  if (error.code !== 'repository_timeout') return error.message;
  return `${request}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
}
