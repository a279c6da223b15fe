import { isLocalHost } from '../../net/local-host.ts';

/** A server without a token that other machines could reach. */
class InsecureListenError extends Error {
  override readonly name = 'InsecureListenError';
  readonly code = 'insecure_listen';
}

/** Throws `InsecureListenError` if other machines can reach the host. */
export function requireLocalHost(host: string): void {
  if (isLocalHost(host)) return;
  throw new InsecureListenError(
    `refusing to listen on ${host} without a token: give a token file, or allow it with --listen-insecure`,
  );
}
