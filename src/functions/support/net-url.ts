import { isIPv4, isIPv6 } from 'node:net';
import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';
import { fromByteText, toByteText } from './byte-text.ts';
import { withContext } from './recover.ts';

/**
 * Parts of a URL, as in Go's `url.URL`. Texts are byte texts, unescaped unless stated otherwise.
 */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  /** Escaped; undefined if absent, which differs from an empty one. */
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  /** Escaped. */
  readonly query: string;
  readonly fragment: string;
}

const empty: Url = { scheme: '', opaque: '', userinfo: undefined, host: '', path: '', query: '', fragment: '' };

/** Parses a URL as net/url does, with its errors. */
export function parseUrl(text: string): Url {
  const bytes = toByteText(text);
  const [, beforeFragment = '', fragment = ''] = /^([^#]*)#?([^]*)$/.exec(bytes) ?? [];
  const url = orParseError(beforeFragment, () => parseWithoutFragment(beforeFragment));
  return orParseError(bytes, () => ({ ...url, fragment: unescapeUrl(fragment, 'fragment') }));
}

function orParseError(bytes: string, parse: () => Url): Url {
  return withContext(`parse ${quote(fromByteText(bytes))}`, parse);
}

function parseWithoutFragment(bytes: string): Url {
  if (/[\0-\x1f\x7f]/.test(bytes)) throw new GoError('net/url: invalid control character in URL');
  if (bytes === '*') return { ...empty, path: '*' };
  if (bytes.startsWith(':')) throw new GoError('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(bytes)?.[1] ?? '';
  const afterScheme = scheme === '' ? bytes : bytes.slice(scheme.length + 1);
  const [, rest = '', query = ''] = /^([^?]*)\??([^]*)$/.exec(afterScheme) ?? [];
  const url = { ...empty, scheme: scheme.toLowerCase(), query };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: rest };
    if (/^[^/]*:/.test(rest)) throw new GoError('first path segment in URL cannot contain colon');
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    return { ...url, path: unescapeUrl(rest, 'path') };
  }
  const [, authority = '', path = ''] = /^\/\/([^/]*)([^]*)$/.exec(rest) ?? [];
  return { ...url, ...parseAuthority(url.scheme, authority), path: unescapeUrl(path, 'path') };
}

function parseAuthority(scheme: string, authority: string): Pick<Url, 'userinfo' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new GoError('net/url: invalid userinfo');
  const [, name = '', colon = '', password = ''] = /^([^:]*)(:?)([^]*)$/.exec(userinfo) ?? [];
  return { userinfo: [name, password].map(reescape).join(colon), host };
}

function reescape(userinfo: string): string {
  return escapeUrl(unescapeUrl(userinfo, 'userinfo'), 'userinfo');
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new GoError('invalid IP-literal');
  if (bracket === 0) return parseAddress(host);
  const strict = scheme === 'http' || scheme === 'https';
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeUrl(host, 'host');
}

/** Parses an IPv6 address in brackets, with an optional zone and port. */
function parseAddress(host: string): string {
  const end = host.lastIndexOf(']');
  if (end < 0) throw new GoError("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf('%25');
  const address =
    zone < 0
      ? unescapeUrl(name, 'host')
      : unescapeUrl(name.slice(0, zone), 'host') + unescapeUrl(name.slice(zone), 'zone');
  if (isIPv4(address)) throw new GoError('invalid IP-literal');
  if (!isIPv6(address))
    throw new GoError(`invalid host: ParseAddr(${quote(fromByteText(address))}): unable to parse IP`);
  return `[${address}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new GoError(`invalid port ${quote(fromByteText(port))} after host`);
}

/** Returns the host without port and brackets. */
export function hostname({ host }: Url): string {
  return host.replace(/:[0-9]*$/, '').replace(/^\[([^]*)\]$/, '$1');
}

/** Formats a URL as net/url does. */
export function formatUrl({ scheme, opaque, userinfo, host, path, query, fragment }: Url): string {
  let text = scheme && `${scheme}:`;
  if (opaque !== '') {
    text += opaque;
  } else {
    if (host !== '' || userinfo !== undefined || (scheme !== '' && path !== '')) text += '//';
    if (userinfo !== undefined) text += `${userinfo}@`;
    text += escapeUrl(host, 'host');
    const escapedPath = path === '*' ? path : escapeUrl(path, 'path');
    if (host !== '' && escapedPath !== '' && !escapedPath.startsWith('/')) text += '/';
    if (text === '' && /^[^/]*:/.test(escapedPath)) text = './';
    text += escapedPath;
  }
  if (query !== '') text += `?${query}`;
  if (fragment !== '') text += `#${escapeUrl(fragment, 'fragment')}`;
  return text;
}

/** Part of a URL; each allows different characters. */
type UrlPart = 'path' | 'userinfo' | 'host' | 'zone' | 'fragment';

const host = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;

const unescaped: Readonly<Record<UrlPart, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  userinfo: /[A-Za-z0-9\-_.~$&+,;=]/,
  host,
  zone: host,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
};

/** Escapes the bytes that are not allowed in this part, as net/url does. */
function escapeUrl(bytes: string, part: UrlPart): string {
  return bytes.replaceAll(/[^]/g, (byte) => (unescaped[part].test(byte) ? byte : percent(byte)));
}

function percent(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Unescapes a part. Throws net/url's error for an invalid escape or character. */
function unescapeUrl(bytes: string, part: UrlPart): string {
  const isHost = part === 'host' || part === 'zone';
  return bytes.replaceAll(/%(?:[0-9A-Fa-f]{2})?|[^%]/g, (match, offset: number) => {
    if (match.startsWith('%')) {
      if (match.length < 3 || !escapeAllowed(match, part)) throw invalidEscape(bytes.slice(offset, offset + 3));
      return byteOf(match);
    }
    if (isHost && match < '\x80' && !unescaped[part].test(match)) {
      throw new GoError(`invalid character ${quote(match)} in host name`);
    }
    return match;
  });
}

/**
 * A host may only escape non-ASCII bytes. A zone may also escape characters that are valid
 * unescaped, and a space.
 */
function escapeAllowed(escape: string, part: UrlPart): boolean {
  if (part === 'host') return escape === '%25' || byteOf(escape) >= '\x80';
  return part !== 'zone' || escape === '%25' || escape === '%20' || unescaped.host.test(byteOf(escape));
}

function byteOf(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
}

function invalidEscape(escape: string): GoError {
  return new GoError(`invalid URL escape ${quote(fromByteText(escape))}`);
}
