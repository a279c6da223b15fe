import * as z from 'zod';
import { parsedJson } from '../../objects/json-text.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { download } from '../http/download.ts';
import { authorizationOf, type Credentials } from '../http/endpoint.ts';
import { requireHttp } from '../http/http-url.ts';
import { SourceError } from '../source-error.ts';

type TokenSettings = Pick<DownloadSettings, 'dispatcher' | 'machine' | 'timeoutMs'>;

const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** The token service of a registry, and what a token is for. */
export interface TokenService {
  readonly url: URL;
  /** Empty if the registry does not name it. */
  readonly service: string;
  /** Empty for a token without rights, as a login asks for. */
  readonly scope: string;
}

/**
 * Reads the parameters of a registry's `Bearer` challenge. Throws {@link SourceError} if its token
 * service is not one that may be asked.
 */
export function tokenService(challenge: ReadonlyMap<string, string>, registry: URL, scope: string): TokenService {
  const realm = challenge.get('realm') ?? '';
  if (!URL.canParse(realm)) throw invalidToken('gives no valid URL for it');
  const url = new URL(realm);
  requireHttp(url, "the URL of the registry's token service");
  if (registry.protocol === 'https:' && url.protocol === 'http:') throw invalidToken('issues it without TLS');
  return { url, service: challenge.get('service') ?? '', scope };
}

/**
 * Gets a token from a token service (distribution project: token authentication): with an identity
 * token by a form, as in OAuth 2, and else by a user name and a password, or by none. Throws
 * {@link SourceError}, or the signal's reason.
 */
export async function fetchToken(
  { url, service, scope }: TokenService,
  credentials: Credentials,
  { dispatcher, machine, timeoutMs }: TokenSettings,
  signal: AbortSignal,
): Promise<string> {
  const { identityToken = '' } = credentials;
  const parameters = { ...(service !== '' && { service }), ...(scope !== '' && { scope }) };
  const options = { what: "the registry's token", maxBytes: 1024 * 1024, dispatcher, machine, timeoutMs };
  const asked = new URL(url);
  let answer: Buffer;
  if (identityToken === '') {
    for (const [name, text] of Object.entries(parameters)) asked.searchParams.set(name, text);
    answer = await download({ url: asked, authorization: authorizationOf(credentials) }, options, signal);
  } else {
    const grant = { grant_type: 'refresh_token', refresh_token: identityToken, client_id: 'helm-agent' };
    const form = new URLSearchParams({ ...grant, ...parameters });
    answer = await download({ url: asked, authorization: undefined }, { ...options, form }, signal);
  }
  const response = tokenSchema.safeParse(parsedJson(answer.toString()));
  const token = response.data?.token || response.data?.access_token;
  if (token === undefined || token === '') throw invalidToken('issues none');
  return token;
}

function invalidToken(reason: string): SourceError {
  return new SourceError('repository_invalid', `the registry requires a token, but ${reason}; check the chart's URL`);
}
