import * as z from 'zod';
import { parsedJson } from '../objects/json-text.ts';
import type { ChartRequest, SourceAccess } from './chart-request.ts';
import { authSchema, credentialsInAuths, serverAddress } from './configuration/registry-auths.ts';
import { isBelowPaths, pathSegments } from './http/http-url.ts';
import { SourceError } from './source-error.ts';

/**
 * Annotation with the hosts that a Secret may be used for, separated by commas: `charts.example`
 * or, without TLS, `http://charts.example`, or with the beginning of a path `ghcr.io/team`.
 */
const hostsAnnotation = 'helm-agent/chart-hosts';

const secretSchema = z.object({
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
});

const dockerConfigSchema = z.object({ auths: z.record(z.string(), authSchema) });
const dockerConfigKey = '.dockerconfigjson';

/**
 * Returns the credentials in a Secret for the source of a chart. A Secret is only used for the
 * hosts that it names, so that a command can neither use another Secret of the agent nor send
 * credentials to a host of its own. Throws {@link SourceError}, without any value of the Secret.
 */
export function credentialsInSecret(secret: unknown, chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>): SourceAccess {
  const { metadata, type, data = {} } = secretSchema.parse(secret); // the API server has checked it
  const fail = (problem: string) =>
    new SourceError('repository_unauthorized', `credentialsFrom: the Secret ${metadata.name} ${problem}`);
  const place = placeOfChart(chart, 'credentialsFrom');
  if (type === 'kubernetes.io/dockerconfigjson') return dockerCredentials(textOf(data[dockerConfigKey]), place, fail);
  const texts = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, textOf(value)]));
  const hosts = metadata.annotations?.[hostsAnnotation] ?? '';
  return credentialsAt({ texts, hosts, hostsName: `its annotation ${hostsAnnotation}` }, place, fail);
}

const sealedSchema = z.strictObject({
  /** As in the annotation of a Secret. */
  hosts: z.string(),
  username: z.string().optional(),
  password: z.string().optional(),
  token: z.string().optional(),
});

/** The longest text with sealed credentials, in UTF-16 units. */
const maxSealedLength = 64 * 1024;

/**
 * Returns the credentials in a text that was sealed, for the source of a chart. They are only used
 * for the hosts that they name. Throws {@link SourceError}, without anything of the text.
 */
export function credentialsInText(text: string, chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>): SourceAccess {
  const fail = (problem: string) =>
    new SourceError('repository_unauthorized', `sealedCredentials: the sealed text ${problem}`);
  const { data } = sealedSchema.safeParse(text.length > maxSealedLength ? undefined : parsedJson(text));
  if (data === undefined) throw fail('has no credentials; seal them with ctl seal --credentials-for');
  const { hosts, ...texts } = data;
  return credentialsAt({ texts, hosts, hostsName: 'its hosts' }, placeOfChart(chart, 'sealedCredentials'), fail);
}

/** Credentials as they are kept. */
interface KeptCredentials {
  texts: Readonly<Record<string, string | undefined>>;
  hosts: string;
  /** Names the place of the hosts, for errors. */
  hostsName: string;
}

function credentialsAt(
  { texts, hosts, hostsName }: KeptCredentials,
  place: Place,
  fail: (problem: string) => SourceError,
): SourceAccess {
  const places = hosts.split(',').flatMap((item) => placeOfItem(item.trim()));
  const onHost = places.filter(({ host }) => host === place.host).map(({ path }) => path);
  if (!isBelowPaths(place.path, onHost)) {
    const wanted = onHost.length === 0 ? place.host : `${place.host}${place.path}`;
    throw fail(`is not for ${wanted}; add ${wanted} to ${hostsName} to allow it`);
  }
  const credentialPaths = onHost.includes('') ? undefined : onHost;
  const { username, password, token, 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key } = texts;
  if ((username === undefined) !== (password === undefined)) throw fail('needs both keys username and password');
  if ((cert === undefined) !== (key === undefined)) throw fail('needs both keys tls.crt and tls.key');
  if (token !== undefined && password !== undefined) throw fail('has a password and a token; keep one of them');
  if ((username ?? token ?? ca ?? cert) === undefined) {
    throw fail('has none of the keys username and password, token, ca.crt, tls.crt and tls.key');
  }
  const hasTls = ca !== undefined || cert !== undefined;
  return { username, password, token: token?.trim(), credentialPaths, ...(hasTls && { tls: { ca, cert, key } }) };
}

/** A host, with `http://` if it is without TLS, and a path on it. */
interface Place {
  readonly host: string;
  readonly path: string;
}

/** Reads an item of the annotation. Returns nothing for one that is not valid. */
function placeOfItem(item: string): Place[] {
  const [, scheme = '', host = '', path = ''] =
    /^(http:\/\/)?([^/?#@\\\s]+)((?:\/[^/?#%\\\s]+)*)\/?$/i.exec(item) ?? [];
  if (host === '' || pathSegments(path) === undefined) return [];
  return [{ host: `${scheme}${host}`.toLowerCase(), path }];
}

/** Returns the place that gets the credentials. */
function placeOfChart({ repoUrl = '', chartName }: Pick<ChartRequest, 'repoUrl' | 'chartName'>, field: string): Place {
  const address = repoUrl === '' ? chartName.trim() : repoUrl;
  if (URL.canParse(address)) {
    const { protocol, host, pathname } = new URL(address);
    const name = protocol === 'oci:' && repoUrl !== '' ? `/${chartName.trim()}` : '';
    const path = `${pathname.replace(/(?<!\/)\/+$/, '')}${name}`;
    return {
      host: protocol === 'http:' ? `http://${host}` : host.toLowerCase(),
      path: protocol === 'oci:' ? path.replace(/[:@].*$/s, '') : path,
    };
  }
  throw new SourceError(
    'invalid_repository_url',
    `${field}: the chart has no repository or registry; give its URL, or no ${field}`,
  );
}

function dockerCredentials(
  text: string | undefined,
  { host, path }: Place,
  fail: (problem: string) => SourceError,
): SourceAccess {
  const config = dockerConfigSchema.safeParse(parsedJson(text ?? ''));
  if (!config.success) throw fail(`has no configuration of registries in JSON in its key ${dockerConfigKey}`);
  // as in Kubernetes, an entry can be for a part of a registry: ghcr.io/team
  const entries = Object.entries(config.data.auths)
    .map(([key, entry]) => ({ entry, key, ...partOfRegistry(key) }))
    .filter(({ part }) => isBelowPaths(path, [part]))
    .sort((a, b) => b.part.length - a.part.length);
  for (const { entry, key, part } of entries) {
    const found = credentialsInAuths({ [key]: entry }, serverAddress(host));
    if (found !== undefined) return { ...found, ...(part !== '' && { credentialPaths: [part] }) };
  }
  throw fail(`has no user name and password for ${host} in its key ${dockerConfigKey}`);
}

/** Returns the path in the key of an entry. Those of old files end with the version of the API. */
function partOfRegistry(key: string): { part: string } {
  const path = /^(?:https?:\/\/)?[^/]*(\/.*)?$/is.exec(key)?.[1] ?? '';
  return { part: path.replace(/^\/v[12](?=\/|$)/, '').replace(/(?<!\/)\/+$/, '') };
}

function textOf(base64: string | undefined): string | undefined {
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64').toString();
}
