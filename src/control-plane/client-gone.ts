import type { ServerResponse } from 'node:http';

/**
 * Returns a controller that aborts when the client of a response has gone, also if it went before,
 * such as while its token was checked.
 */
export function whenClientGone(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone;
}
