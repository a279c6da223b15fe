import { isLocalHost } from './local-host.ts';

/** The part of a request that names its server. Node's `IncomingMessage` has it. */
interface AddressedRequest {
  readonly headers: { readonly host?: string | undefined };
  readonly socket: { readonly localAddress?: string | undefined };
}

/**
 * Whether a request names this server in its `Host` header: `localhost`, a loopback address, the
 * host that the server listens on, or the address that the request reached. A web page whose name
 * was rebound to this server's address sends its own name instead.
 */
export function namesThisServer({ headers, socket }: AddressedRequest, listenHost: string): boolean {
  const name = hostNameOf(headers.host);
  if (name === undefined) return false;
  const reached = socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  return isLocalHost(name) || name === listenHost.toLowerCase() || name === reached;
}

/** Returns the name or address in a `Host` header, without port and brackets. */
function hostNameOf(host: string | undefined): string | undefined {
  if (host === undefined || /[/@?#\\]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
}
