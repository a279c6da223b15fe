import { request } from 'undici';
import { z } from 'zod';
import type { ChartRequest } from '../chart-request.ts';
import { basicAuthorization, type Target } from '../credentials.ts';
import { download } from '../download.ts';
import { requestFailure } from '../http-failure.ts';
import type { RepositoryOptions } from '../repository.ts';
import { refuseOtherSchemes } from '../repository-url.ts';
import { SourceError } from '../source-error.ts';
import type { ChartReference } from './reference.ts';

const tokenSchema = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** How to ask a registry for parts of a repository. */
export interface RegistryAccess {
  /** What is at a path below `/v2/REPOSITORY/`. */
  target(path: string): Target;
}

/**
 * Finds out what a registry wants to see before it hands a repository out: nothing, a user name and password, or a token that another address gives for
 * them (docs of the distribution project: token authentication). Throws {@link SourceError}, or the signal's reason.
 */
export async function accessRegistry(
  { host, repository }: ChartReference,
  credentials: Pick<ChartRequest, 'username' | 'password' | 'plainHttp'>,
  options: RepositoryOptions,
  signal: AbortSignal,
): Promise<RegistryAccess> {
  const base = new URL(`${credentials.plainHttp === true ? 'http' : 'https'}://${host}/v2/`);
  const { username = '', password = '' } = credentials;
  const basic = username === '' || password === '' ? undefined : basicAuthorization(username, password);
  const challenge = await challengeOf(base, options, signal);
  const authorization =
    challenge === undefined
      ? basic
      : `Bearer ${await tokenFrom({ url: tokenUrl(challenge, base, repository), authorization: basic }, options, signal)}`;
  return { target: (path) => ({ url: new URL(`${base.href}${repository}/${path}`), authorization }) };
}

/** The parameters of a `Bearer` challenge; undefined where the registry makes none. */
async function challengeOf(
  url: URL,
  { dispatcher, timeoutMs }: RepositoryOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { statusCode, headers, body } = await request(url, {
      headers: { 'user-agent': 'helm-agent' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      reset: true,
      ...(dispatcher && { dispatcher }),
    });
    await body.dump();
    const challenge = [headers['www-authenticate'] ?? []].flat().find((value) => /^bearer /i.test(value));
    if (statusCode !== 401 || challenge === undefined) return undefined;
    return new Map(Array.from(challenge.matchAll(/(\w+)="([^"]*)"/g), ([, key = '', value = '']) => [key, value]));
  } catch (error) {
    signal.throwIfAborted();
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw requestFailure(error, url, { what: 'the registry', timeoutMs }, timedOut);
  }
}

function tokenUrl(challenge: ReadonlyMap<string, string>, registry: URL, repository: string): URL {
  const realm = challenge.get('realm') ?? '';
  if (!URL.canParse(realm)) throw invalidToken('names no address for it');
  const url = new URL(realm);
  refuseOtherSchemes(url, "the address of the registry's token");
  if (registry.protocol === 'https:' && url.protocol === 'http:') throw invalidToken('would have it sent without TLS');
  const service = challenge.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${repository}:pull`);
  return url;
}

async function tokenFrom(
  target: Target,
  { dispatcher, timeoutMs }: RepositoryOptions,
  signal: AbortSignal,
): Promise<string> {
  const limits = { what: "the registry's token", maxBytes: 1024 * 1024, dispatcher, timeoutMs };
  const answer = await download(target, limits, signal);
  const parsed = tokenSchema.safeParse(jsonIn(answer));
  const token = parsed.data?.token ?? parsed.data?.access_token;
  if (token === undefined) throw invalidToken('gives none');
  return token;
}

function jsonIn(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // is no token either
  }
}

function invalidToken(reason: string): SourceError {
  return new SourceError('repository_invalid', `the registry wants a token, but ${reason}; check the chart's address`);
}
