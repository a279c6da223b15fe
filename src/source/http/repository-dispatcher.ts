import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { namesProxy, proxyChooser, type ProxyEnvironment } from '../../go/http-proxy.ts';
import type { ClientTls } from '../chart-request.ts';
import { SourceError } from '../source-error.ts';
import type { DeniedAddresses } from './denied-addresses.ts';
import { downloadRetries } from './retries.ts';
import { trustingConnector, withMachineTrust } from './trusting-connector.ts';

export interface RepositoryDispatcherOptions {
  readonly denied: DeniedAddresses;
  /** Default: no proxy. */
  readonly proxyEnv?: ProxyEnvironment | undefined;
  /** Whether to repeat requests that fail for now. */
  readonly retry: boolean;
  readonly tls?: ClientTls | undefined;
}

/**
 * Returns a dispatcher for requests to repositories and registries that connects to no denied
 * address. The addresses of a host are checked when it connects, so a name that resolves to another
 * address later is checked again.
 */
export function repositoryDispatcher({
  denied,
  proxyEnv = {},
  retry,
  tls = {},
}: RepositoryDispatcherOptions): Dispatcher {
  const identity = withoutUndefined(tls);
  const connect = trustingConnector({ ...identity, lookup: guardedLookup(denied) });
  const agent = proxyingAgent(proxyEnv, { connect, requestTls: identity });
  const guarded = agent.compose(guard(denied));
  return retry ? guarded.compose(downloadRetries()) : guarded;
}

interface ProxyingOptions {
  /** Connects without a proxy. */
  readonly connect: buildConnector.connector;
  /** For connections through a proxy. */
  readonly requestTls: buildConnector.BuildOptions;
}

/** Time in which a proxy must open a tunnel, in milliseconds. */
const tunnelTimeoutMs = 10_000;

/** Chooses the proxy of each origin, or none, when the first request is sent there. */
function proxyingAgent(env: ProxyEnvironment, { connect, requestTls }: ProxyingOptions): Agent {
  const proxyFor = proxyChooser(env);
  return new Agent({
    connect,
    factory(origin, options) {
      const proxy = proxyFor(new URL(origin));
      if (proxy === undefined) return new Pool(origin, options);
      // a connection through a proxy cannot be tried again with other CAs
      return new ProxyAgent({
        uri: proxy.href,
        ...(proxy.protocol === 'https:' && { proxyTls: withMachineTrust({}) }),
        requestTls: new URL(origin).protocol === 'https:' ? withMachineTrust(requestTls) : requestTls,
        clientFactory: (url, given) => new Pool(url, { ...given, headersTimeout: tunnelTimeoutMs }),
      });
    },
  });
}

/** Refuses requests to a denied address, which is not looked up, and which a proxy might reach. */
function guard(denied: DeniedAddresses): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { hostname } = new URL(String(options.origin));
    const address = hostname.replace(/^\[(.*)\]$/s, '$1');
    if (isIP(address) !== 0 && denied.has(address)) throw addressDenied(hostname);
    return dispatch(options, handler);
  };
}

function withoutUndefined({ ca, cert, key }: ClientTls) {
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

function guardedLookup(denied: DeniedAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const allowed = addresses.filter(({ address }) => !denied.has(address));
      const [first] = allowed;
      if (first === undefined) callback(addressDenied(hostname), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function addressDenied(hostname: string): SourceError {
  return new SourceError(
    'address_denied',
    `${hostname} has an address that this agent must not connect to; see --deny-addresses`,
  );
}

/** How a client identifies itself and trusts servers, and the proxies that it uses. */
interface ClientOptions {
  /** Certificate authorities in PEM form. Default: those of Node and of the machine. */
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
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(insecure === true && { rejectUnauthorized: false }),
  };
  const hasTls = Object.keys(tls).length > 0;
  return hasTls || namesProxy(env)
    ? proxyingAgent(env, { connect: trustingConnector(tls), requestTls: tls })
    : undefined;
}
