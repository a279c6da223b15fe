import type { Target } from './credentials.ts';
import { shownUrl } from './shown-url.ts';
import { SourceError } from './source-error.ts';

const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

/** The error for an answer other than 200. */
export function statusFailure(status: number, { url, authorization }: Target, what: string): SourceError {
  const shown = shownUrl(url);
  switch (status) {
    case 401:
    case 403: {
      const hint =
        authorization === undefined
          ? 'none were sent; give a user name and a password that it accepts (they go only to the scheme, host and port of the repository)'
          : 'check the user name and the password, and what they may read';
      return new SourceError(
        'repository_unauthorized',
        `${what} was refused for lack of credentials: ${shown} answered ${status}; ${hint}`,
      );
    }
    case 404:
    case 410:
      return new SourceError(
        'repository_not_found',
        `${what} is not at ${shown}, which answered ${status}; check the URL`,
      );
    default:
      return new SourceError(
        'repository_failed',
        `${what} could not be downloaded: ${shown} answered ${status}; try again later, or look into the repository's log`,
      );
  }
}

/** The error for a request without an answer, or whose answer broke off. */
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
      `${what} did not come${limit} from ${shownUrl(url)}; check that it can be reached from this machine`,
      { cause: error },
    );
  }
  return new SourceError(
    'repository_failed',
    `${what} could not be downloaded from ${shownUrl(url)}: ${reasonOf(error, code)}; check the URL, and that it can be reached from this machine`,
    { cause: error },
  );
}

function reasonOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return 'the request failed';
  return error.message === '' ? code || error.name : error.message;
}
