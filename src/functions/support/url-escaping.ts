import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';
import { fromByteText } from './byte-text.ts';

/** Part of a URL; each allows different characters. */
export type UrlPart = 'path' | 'userinfo' | 'host' | 'zone' | 'fragment';

const host = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;
const unescaped: Readonly<Record<UrlPart, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  userinfo: /[A-Za-z0-9\-_.~$&+,;=]/,
  host,
  zone: host,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
};

/** Escapes the bytes that are not allowed in this part, as net/url does. */
export function escapeUrl(bytes: string, part: UrlPart): string {
  return bytes.replaceAll(/[^]/g, (byte) => (unescaped[part].test(byte) ? byte : percent(byte)));
}

function percent(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Unescapes a part. Throws net/url's error for an invalid escape or character. */
export function unescapeUrl(bytes: string, part: UrlPart): string {
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
