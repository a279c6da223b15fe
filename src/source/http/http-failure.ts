import { codeOf } from '../../errors/index.ts';
import { SourceError } from '../source-error.ts';
import type { Endpoint } from './endpoint.ts';
import { shownUrl } from './http-url.ts';

/** The purpose of a request, and the machine that sends it, for the text of an error. */
export interface RequestAttempt {
  /** Name of what is downloaded or uploaded, or of the service. */
  readonly what: string;
  readonly timeoutMs: number;
  /** Credentials that are posted, and not sent anywhere else. Default: a GET without a form. */
  readonly form?: URLSearchParams | undefined;
  /** Default: `download`. */
  readonly action?: 'download' | 'upload' | 'connect' | undefined;
  /** Default: `this machine`. */
  readonly machine?: "the agent's machine" | 'this machine' | undefined;
}

const phrases = {
  download: { infinitive: 'download', participle: 'downloading', preposition: 'from' },
  upload: { infinitive: 'upload', participle: 'uploading', preposition: 'to' },
  connect: { infinitive: 'connect to', participle: 'connecting to', preposition: 'at' },
} as const;

const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

/**
 * Returns the error for a response with a status other than 200, such as `404 Not Found`. `refusal`
 * is why, in the words of the server, if it says so.
 */
export function statusFailure(
  line: string,
  { url, authorization }: Endpoint,
  { what, form, action = 'download' }: Pick<RequestAttempt, 'what' | 'action' | 'form'>,
  refusal = '',
): SourceError {
  const shown = shownUrl(url);
  const status = Number.parseInt(line);
  const answer = `status ${status}${refusal === '' ? '' : `: ${refusal}`}`;
  const options = { status: line };
  switch (status) {
    case 401:
    case 403: {
      const hint =
        authorization === undefined && form === undefined
          ? 'none were sent; give a user name and a password (they are sent only to the scheme, host and port of the repository)'
          : 'check the user name, the password and their permissions';
      return new SourceError(
        'repository_unauthorized',
        `${what} requires valid credentials: ${shown} responded with ${answer}; ${hint}`,
        options,
      );
    }
    case 404:
    case 410:
      return new SourceError(
        'repository_not_found',
        `${what} was not found at ${shown} (${answer}); check the URL`,
        options,
      );
    default:
      return new SourceError(
        'repository_failed',
        `could not ${phrases[action].infinitive} ${what}: ${shown} responded with ${answer}; try again later, or see the server's log`,
        options,
      );
  }
}

/** Returns the error for a request without a complete response. */
export function requestFailure(
  error: unknown,
  url: URL,
  { what, timeoutMs, action = 'download', machine = 'this machine' }: RequestAttempt,
  timedOut: boolean,
): SourceError {
  const { infinitive, participle, preposition } = phrases[action];
  const code = codeOf(error) ?? '';
  if (timedOut || timeoutCodes.includes(code)) {
    const limit = timedOut ? ` within ${timeoutMs / 1000} s` : '';
    return new SourceError(
      'repository_timeout',
      `timed out while ${participle} ${what}: ${shownUrl(url)} did not respond${limit}; check that it can be reached from ${machine}`,
      { cause: error },
    );
  }
  return new SourceError(
    'repository_failed',
    `could not ${infinitive} ${what} ${preposition} ${shownUrl(url)}: ${reasonOf(error, code)}; check the URL, and that it can be reached from ${machine}`,
    { cause: error },
  );
}

/** Node advises to trust the CAs of the machine, which is done already. */
const adviceOfNode = '; if the root CA is installed locally, try running Node.js with --use-system-ca';

function reasonOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return 'the request failed';
  const message = error.message.replace(adviceOfNode, '');
  return message === '' ? code || error.name : message;
}
