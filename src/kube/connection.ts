import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { messageOf } from '../errors/index.ts';
import { proxyChooser, type ProxyEnvironment } from '../go/http-proxy.ts';
import { accountUser, type ServiceAccount } from '../objects/service-account.ts';
import { type Credentials, pluginCredentials } from './credential-plugin.ts';
import { impersonationHeaders, noImpersonation } from './impersonation.ts';
import { KubeError } from './kube-error.ts';
import { requireUsable } from './kubeconfig-check.ts';
import { type LoadedKubeConfig, parseKubeConfig, readKubeConfigs, type UserFields } from './kubeconfig-files.ts';
import { definedMaterial, type TlsMaterial, tlsMaterial } from './tls-material.ts';

/**
 * Address of an API server and the credentials for it. Certificates and tokens are read again for
 * each request, so that rotated ones are used.
 */
export interface Connection {
  /** URL of the server without a trailing slash. It may have a path. */
  readonly server: string;
  /** URL of the proxy to the server. */
  readonly proxy: string | undefined;
  /** Namespace of the current context, or of the pod's service account. */
  readonly namespace: string;
  /** Returns what a request needs. */
  prepare(): Promise<PreparedRequest>;
  close(): Promise<void>;
}

interface PreparedRequest {
  /** Keeps connections alive. */
  dispatcher: Dispatcher;
  /** For connections that the dispatcher does not open. */
  tls: TlsMaterial;
  headers: Record<string, string | string[]>;
  /** To be called if the API server rejects the credentials: the next request gets others. */
  onRejected?: () => void;
}

/**
 * A kubeconfig file, several that are merged like those of `KUBECONFIG`, the text of a kubeconfig,
 * or the service account of this pod.
 */
export type ConnectionSource = { file: string } | { files: readonly string[] } | { text: string } | 'service-account';

/**
 * Reads the source. Sends nothing yet. Fails with `bad_request` if the source is not usable. The
 * environment names the proxy to the server of a kubeconfig without `proxy-url`, as in client-go.
 * Default: none. That of a pod does not apply to the API server of its cluster.
 */
export function openConnection(source: ConnectionSource, proxyEnv: ProxyEnvironment = {}): Connection {
  const loaded = loadConfig(source);
  requireUsableContext(loaded, source);
  const { config, user } = withoutUnsafeCredentials(loaded);
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) {
    throw new KubeError('bad_request', `${describe(source)} has no cluster in its current context`);
  }
  const { server } = cluster;
  const proxy = proxyOf(cluster, source) ?? environmentProxy(server, source, proxyEnv);
  /** Agents with older certificates, until their last request has ended. */
  const retired = new Set<Dispatcher>();
  const retire = (agent: Dispatcher) => {
    retired.add(agent);
    const forget = () => retired.delete(agent);
    agent.close().then(forget, forget);
  };
  let current: { material: TlsMaterial; agent: Dispatcher } | undefined;
  const readToken = user?.tokenFile === undefined ? undefined : tokenReader(user.tokenFile);
  const plugin = user?.plugin && pluginCredentials(user.plugin, cluster, loaded.clusters.get(cluster.name));

  return {
    server: server.replace(/(?<!\/)\/+$/, ''),
    proxy,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    async prepare() {
      const credentials = await plugin?.read();
      const options = await requestOptions(config, credentials);
      const material = tlsMaterial(options);
      if (current === undefined || !isDeepStrictEqual(current.material, material)) {
        // requests and watches of the old agent continue; nothing waits for their end
        if (current) retire(current.agent);
        current = { material, agent: newAgent(material, proxy) };
      }
      const token = await readToken?.();
      const headers = {
        ...authHeaders(options),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(user && impersonationHeaders(user.impersonation)),
      };
      return {
        dispatcher: current.agent,
        tls: material,
        headers,
        ...(credentials && { onRejected: () => plugin?.forget(credentials) }),
      };
    },
    async close() {
      await Promise.all([...(current ? [current.agent] : []), ...retired].map((agent) => agent.destroy()));
    },
  };
}

/**
 * Returns a connection that sends its requests as a service account, through the same sockets. The
 * API server adds the groups of the account, so the right to impersonate the account is enough.
 * Whom the kubeconfig itself impersonates is left out.
 */
export function impersonating(connection: Connection, account: ServiceAccount): Connection {
  const user = accountUser(account);
  return {
    ...connection,
    async prepare() {
      const prepared = await connection.prepare();
      const own = Object.entries(prepared.headers).filter(([name]) => !name.toLowerCase().startsWith('impersonate-'));
      return { ...prepared, headers: { ...Object.fromEntries(own), 'Impersonate-User': user } };
    },
    close: () => Promise.resolve(),
  };
}

interface CurrentConfig {
  config: KubeConfig;
  /** Fields of the current user that client-node does not read. */
  user: UserFields | undefined;
  /** Fields of clusters in the kubeconfig, by their names. */
  clusters: ReadonlyMap<string, unknown>;
}

function loadConfig(source: ConnectionSource): CurrentConfig {
  try {
    return readConfig(source);
  } catch (cause) {
    throw new KubeError('bad_request', `${describe(source)} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function readConfig(source: ConnectionSource): CurrentConfig {
  if (source === 'service-account') {
    const config = new KubeConfig();
    config.loadFromCluster();
    const provider = config.getCurrentUser()?.authProvider as { config?: { tokenFile?: string } } | undefined; // as loadFromCluster sets it
    const user = { tokenFile: provider?.config?.tokenFile, plugin: undefined, impersonation: noImpersonation };
    return { config, user, clusters: new Map() };
  }
  const { config, users, clusters } = readSource(source);
  return { config, user: users.get(config.getCurrentUser()?.name ?? ''), clusters };
}

/** Checks the current context. The text about one of helm is that of helm. */
function requireUsableContext({ config, user }: CurrentConfig, source: ConnectionSource): void {
  if (source === 'service-account') return;
  try {
    requireUsable(config, user);
  } catch (cause) {
    const reason = messageOf(cause);
    const text = 'text' in source ? reason : `${describe(source)} cannot be used: ${reason}`;
    throw new KubeError('bad_request', text, { cause });
  }
}

/** Returns what a request needs, with credentials of a plugin if there is one. */
async function requestOptions(config: KubeConfig, credentials: Credentials | undefined) {
  const options: RequestOptions = { ...credentials };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new KubeError('unreachable', `cannot read the credentials of the kubeconfig: ${reason}`, { cause });
  }
  return options;
}

/**
 * Leaves out the credentials for a server without TLS, but not whom they impersonate, as client-go
 * does (tools/clientcmd/client_config.go). As there (rest/url_utils.go), a server without a scheme
 * is one of `http`.
 */
function withoutUnsafeCredentials({ config, user }: CurrentConfig): Pick<CurrentConfig, 'config' | 'user'> {
  const current = config.getCurrentCluster();
  if (current === null || /^https:\/\//i.test(current.server)) return { config, user };
  const server = /^[a-z][a-z0-9+.-]*:\/\//i.test(current.server) ? current.server : `http://${current.server}`;
  // client-node refuses plain HTTP unless certificates are not verified; there are none to verify
  config.clusters = [{ ...current, server, skipTLSVerify: true }];
  config.users = config.users.map(({ name }) => ({ name }));
  return { config, user: user && { ...user, tokenFile: undefined, plugin: undefined } };
}

function readSource(source: Exclude<ConnectionSource, 'service-account'>): LoadedKubeConfig {
  if ('text' in source) return parseKubeConfig(source.text, '.');
  if ('files' in source) return readKubeConfigs(source.files);
  return parseKubeConfig(readFileSync(source.file, 'utf8'), dirname(source.file));
}

function describe(source: ConnectionSource): string {
  if (source === 'service-account') return 'the service account of this pod';
  if ('files' in source) return `the kubeconfig of ${source.files.join(', ')}`;
  return 'file' in source ? `kubeconfig ${source.file}` : 'the given kubeconfig';
}

/** The schemes of proxies that kubectl knows. */
const proxySchemes = ['http', 'https', 'socks5'];

/** Returns the `proxy-url` of the cluster. */
function proxyOf({ proxyUrl = '' }: { proxyUrl?: string | undefined }, source: ConnectionSource): string | undefined {
  if (proxyUrl === '') return undefined;
  const scheme = URL.parse(proxyUrl)?.protocol.slice(0, -1) ?? '';
  if (proxySchemes.includes(scheme)) return proxyUrl;
  throw new KubeError(
    'bad_request',
    `the proxy-url of ${describe(source)} must be the URL of an http, https or socks5 proxy`,
  );
}

/** Returns the proxy that the environment names for a server. */
function environmentProxy(server: string, source: ConnectionSource, env: ProxyEnvironment): string | undefined {
  const url = URL.parse(server);
  if (source === 'service-account' || url === null) return undefined;
  try {
    return proxyChooser(env, proxySchemes)(url)?.href;
  } catch (cause) {
    throw new KubeError('bad_request', messageOf(cause), { cause });
  }
}

function newAgent(material: TlsMaterial, proxy: string | undefined): Dispatcher {
  const connect = { ...definedMaterial(material), timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 };
  const options = {
    allowH2: false, // a watch has its own connection, so that no request waits behind it
    keepAliveTimeout: 30_000,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  };
  return proxy === undefined
    ? new Agent({ ...options, connect })
    : new ProxyAgent({ ...options, uri: proxy, requestTls: connect, clientFactory: tunnelClient });
}

/** Asks a proxy for tunnels, for at most 10 seconds each. */
function tunnelClient(proxy: URL, options: object): Dispatcher {
  return new Pool(proxy, { ...options, headersTimeout: 10_000 });
}

function authHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name] = String(value).trim();
  }
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

/**
 * Returns a function that reads a token file again for each request, so that a rotated token is
 * used at once. As in client-go, the last token is used if the file cannot be read. Rejects with
 * `unauthorized` if there is none.
 */
function tokenReader(file: string): () => Promise<string> {
  let last: string | undefined;
  return async () => {
    try {
      const text = (await readFile(file, 'utf8')).trim();
      if (text !== '') last = text;
    } catch (cause) {
      if (last !== undefined) return last;
      throw new KubeError('unauthorized', `cannot read the token file ${file}`, { cause });
    }
    if (last === undefined) throw new KubeError('unauthorized', `the token file ${file} is empty`);
    return last;
  };
}
