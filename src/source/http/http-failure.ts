import type { Endpoint } from './endpoint.ts';
import { shownUrl } from './shown-url.ts';
import { SourceError } from '../source-error.ts';

const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

/** Returns the error for a response with a status other than 200, such as `404 Not Found`. */
export function statusFailure(line: string, { url, authorization }: Endpoint, what: string): SourceError {
  const shown = shownUrl(url);
  const status = Number.parseInt(line);
  const options = { status: line };
  switch (status) {
    case 401:
    case 403: {
      const hint =
        authorization === undefined
          ? 'none were sent; give a user name and a password (they are sent only to the scheme, host and port of the repository)'
          : 'check the user name, the password and their permissions';
      return new SourceError(
        'repository_unauthorized',
        `${what} requires valid credentials: ${shown} responded with status ${status}; ${hint}`,
        options,
      );
    }
    case 404:
    case 410:
      return new SourceError(
        'repository_not_found',
        `${what} was not found at ${shown} (status ${status}); check the URL`,
        options,
      );
    default:
      return new SourceError(
        'repository_failed',
        `could not download ${what}: ${shown} responded with status ${status}; try again later, or see the server's log`,
        options,
      );
  }
}

/** Returns the error for a request without a complete response. */
export function requestFailure(
  error: unknown,
  url: URL,
  { what, timeoutMs }: { what: string; timeoutMs: number },
  timedOut: boolean,
): SourceError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (timedOut || timeoutCodes.includes(code)) {
    const limit = timedOut ? ` within ${timeoutMs / 1000} s` : '';
    return new SourceError(
      'repository_timeout',
      `timed out while downloading ${what}: ${shownUrl(url)} did not respond${limit}; check that it can be reached from this machine`,
      { cause: error },
    );
  }
  return new SourceError(
    'repository_failed',
    `could not download ${what} from ${shownUrl(url)}: ${reasonOf(error, code)}; check the URL, and that it can be reached from this machine`,
    { cause: error },
  );
}

function reasonOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return 'the request failed';
  return error.message === '' ? code || error.name : error.message;
}
