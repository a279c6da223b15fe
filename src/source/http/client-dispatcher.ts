import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { proxiesOf, type ProxyEnvironment } from './proxy-environment.ts';

/** How a client identifies itself and trusts servers, and the proxies that it uses. */
export interface ClientOptions {
  /** Certificate authorities in PEM form. Default: those of Node. */
  readonly ca?: string | undefined;
  /** Certificate and key of the client, in PEM form. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Whether to accept any certificate of a server. Default: false. */
  readonly insecure?: boolean | undefined;
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
  readonly env: ProxyEnvironment;
}

/**
 * Returns a dispatcher for requests of such a client; undefined if the default one of `requestFrom`
 * is right for it.
 */
export function clientDispatcher({ ca, cert, key, insecure, env }: ClientOptions): Dispatcher | undefined {
  const proxies = proxiesOf(env);
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(insecure === true && { rejectUnauthorized: false }),
  };
  const hasTls = Object.keys(tls).length > 0;
  if (proxies.httpProxy === '' && proxies.httpsProxy === '' && !hasTls) return undefined;
  return new EnvHttpProxyAgent({ ...proxies, ...(hasTls && { connect: tls, requestTls: tls }) });
}
