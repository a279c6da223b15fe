import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** An environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/** Whether a host is one that `NO_PROXY` names. An IPv6 address has no brackets. */
type HostMatcher = (host: string, port: string) => boolean;

const isLoopback = addressMatcher('127.0.0.0/8', '::1');

/**
 * Returns a function that chooses the proxy for a URL by `HTTP_PROXY`, `HTTPS_PROXY` and
 * `NO_PROXY`, in either case, by the rules of Go (golang.org/x/net/http/httpproxy). It returns
 * undefined if there is none. Other than in Go, it throws an error if the proxy cannot be used,
 * where Go would connect without it.
 *
 * @param schemes those of proxies that can be used
 */
export function proxyChooser(
  env: ProxyEnvironment,
  schemes: readonly string[] = ['http', 'https'],
): (url: URL) => URL | undefined {
  const excluded = firstOf(env, 'NO_PROXY')
    .value.split(',')
    .map((item) => itemMatcher(item.trim().toLowerCase()));
  return ({ protocol, hostname, port }) => {
    const proxy = firstOf(env, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
    if (proxy.value === '') return undefined;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const actualPort = port === '' ? (defaultPorts[protocol] ?? '') : port;
    if (host === 'localhost' || isLoopback(host) || excluded.some((matches) => matches(host, actualPort)))
      return undefined;
    return parseProxy(proxy, schemes);
  };
}

/** Whether an environment names a proxy for any URL. */
export function namesProxy(env: ProxyEnvironment): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY'].some((name) => firstOf(env, name).value !== '');
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

interface Variable {
  readonly name: string;
  /** Empty if it is not set. */
  readonly value: string;
}

/** Returns the variable with this name or the same in lower case, the first that is not empty. */
function firstOf(env: ProxyEnvironment, upper: string): Variable {
  const name = [upper, upper.toLowerCase()].find((each) => (env[each] ?? '') !== '') ?? upper;
  return { name, value: env[name] ?? '' };
}

/** Adds `http` to a proxy without a scheme. The error does not have the value: it may be secret. */
function parseProxy({ name, value }: Variable, schemes: readonly string[]): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  const isUsable = url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '';
  if (isUsable && isDecodable(url)) return url;
  const allowed = `${schemes.slice(0, -1).join(', ')} or ${schemes.at(-1) ?? ''}`;
  throw new Error(`${name} must be the URL of an ${allowed} proxy`);
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false; // it throws only for that
  }
}

/** Reads an item of `NO_PROXY`: `*`, an address, a range of them, or a domain, also with a port. */
function itemMatcher(item: string): HostMatcher {
  if (item === '*') return () => true;
  if (isRange(item)) return addressMatcher(item);
  const [, bracketed, plain, port = ''] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(item) ?? [];
  const name = bracketed ?? plain ?? item;
  const matches = isRange(`${name}/0`) ? addressMatcher(name) : domainMatcher(name);
  return (host, portOfUrl) => matches(host) && (port === '' || port === portOfUrl);
}

function isRange(item: string): boolean {
  const [, address = '', bits] = /^([^/%]*)\/(\d+)$/.exec(item) ?? [];
  return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
}

/** Matches addresses and ranges of them. IPv6 addresses that IPv4 is mapped to are IPv4 ones. */
function addressMatcher(...items: readonly string[]): (host: string) => boolean {
  const list = new BlockList();
  for (const item of items) {
    const [address = '', bits] = item.split('/');
    const family = familyOf(address);
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Matches the names below a domain, and the domain itself unless it starts with `.` or `*.`. */
function domainMatcher(domain: string): (host: string) => boolean {
  if (domain === '') return () => false;
  const below = domain.replace(/^\*?\.|^/, '.');
  const suffix = domainToASCII(below) || below;
  return (host) => isIP(host) === 0 && (host.endsWith(suffix) || (!/^\*?\./.test(domain) && host === suffix.slice(1)));
}
