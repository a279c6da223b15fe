import { kindOf } from '../go/types.ts';
import { GoError, type Value } from '../go/value.ts';
import { fromByteText, toByteText } from './support/byte-text.ts';
import { nilDereference } from './support/elements.ts';
import type { FunctionFamily } from './support/family.ts';
import { formatUrl, hostname, parseUrl } from './support/net-url.ts';
import { withContext } from './support/recover.ts';

/** Sprig's functions that convert between URLs and dictionaries of their parts. */
export const urlFunctions: FunctionFamily = {
  urlParse: { params: ['string'], call: urlParse },
  urlJoin: { params: ['map[string]interface {}'], call: urlJoin },
};

function urlParse(text: string): Value {
  const url = withContext('unable to parse url', () => parseUrl(text));
  const parts = { ...url, hostname: hostname(url), userinfo: url.userinfo ?? '' };
  return new Map(Object.entries(parts).map(([name, bytes]) => [name, fromByteText(bytes)]));
}

function urlJoin(parts: ReadonlyMap<string, Value>): string {
  const part = (name: string): string => toByteText(stringPart(parts, name));
  const url = {
    scheme: part('scheme'),
    host: part('host'),
    path: part('path'),
    query: part('query'),
    opaque: part('opaque'),
    fragment: part('fragment'),
  };
  const userinfo = stringPart(parts, 'userinfo');
  const parsed =
    userinfo === ''
      ? undefined
      : withContext('unable to parse userinfo in dict', () => parseUrl(`proto://${userinfo}@host`)).userinfo;
  return fromByteText(formatUrl({ ...url, userinfo: parsed }));
}

function stringPart(parts: ReadonlyMap<string, Value>, name: string): string {
  const value = parts.get(name);
  if (value === undefined) return '';
  if (value === null) throw nilDereference();
  if (typeof value === 'string') return value;
  throw new GoError(`unable to parse ${name} key, must be of type string, but ${kindOf(value)} found`);
}

/**
 * Sprig's DNS lookup without a network, as in Helm without `--enable-dns`: the result is empty. The
 * engines have one that resolves names.
 */
export const networkFunctions: FunctionFamily = {
  getHostByName: { params: ['string'], call: () => '' },
};
