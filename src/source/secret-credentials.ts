import * as z from 'zod';
import type { ChartRequest } from './chart-request.ts';
import { authSchema, credentialsInAuths, serverAddress } from './configuration/registry-auths.ts';
import { SourceError } from './source-error.ts';

/**
 * Annotation with the hosts that a Secret may be used for, separated by commas: `charts.example`
 * or, without TLS, `http://charts.example`.
 */
const hostsAnnotation = 'helm-agent/chart-hosts';

const secretSchema = z.object({
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
});

const dockerConfigSchema = z.object({ auths: z.record(z.string(), authSchema) });
const dockerConfigKey = '.dockerconfigjson';

/** Everything in a Secret about the access to a repository or registry. */
export type SecretCredentials = Pick<ChartRequest, 'username' | 'password' | 'token' | 'tls'>;

/**
 * Returns the credentials in a Secret for the source of a chart. A Secret is only used for the
 * hosts that it names, so that a command can neither use another Secret of the agent nor send
 * credentials to a host of its own. Throws {@link SourceError}, without any value of the Secret.
 */
export function credentialsInSecret(
  secret: unknown,
  chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>,
): SecretCredentials {
  const { metadata, type, data = {} } = secretSchema.parse(secret); // the API server has checked it
  const fail = (problem: string) =>
    new SourceError('repository_unauthorized', `credentialsFrom: the Secret ${metadata.name} ${problem}`);
  const host = hostOfChart(chart);
  if (type === 'kubernetes.io/dockerconfigjson') return dockerCredentials(textOf(data[dockerConfigKey]), host, fail);

  const hosts = (metadata.annotations?.[hostsAnnotation] ?? '').split(',').map((item) => item.trim());
  if (!hosts.includes(host)) {
    throw fail(`is not for ${host}; add ${host} to its annotation ${hostsAnnotation} to allow it`);
  }
  const [username, password, token] = [textOf(data['username']), textOf(data['password']), textOf(data['token'])];
  const [ca, cert, key] = [textOf(data['ca.crt']), textOf(data['tls.crt']), textOf(data['tls.key'])];
  if ((username === undefined) !== (password === undefined)) throw fail('needs both keys username and password');
  if ((cert === undefined) !== (key === undefined)) throw fail('needs both keys tls.crt and tls.key');
  if (token !== undefined && password !== undefined) throw fail('has a password and a token; keep one of them');
  if ((username ?? token ?? ca ?? cert) === undefined) {
    throw fail('has none of the keys username and password, token, ca.crt, tls.crt and tls.key');
  }
  const hasTls = ca !== undefined || cert !== undefined;
  return { username, password, token: token?.trim(), ...(hasTls && { tls: { ca, cert, key } }) };
}

/** Returns the host that gets the credentials, in the form of the annotation. */
function hostOfChart({ repoUrl = '', chartName }: Pick<ChartRequest, 'repoUrl' | 'chartName'>): string {
  const address = repoUrl === '' ? chartName.trim() : repoUrl;
  if (URL.canParse(address)) {
    const { protocol, host } = new URL(address);
    return protocol === 'http:' ? `http://${host}` : host;
  }
  throw new SourceError(
    'invalid_repository_url',
    'credentialsFrom: the chart has no repository or registry; give its URL, or no credentialsFrom',
  );
}

function dockerCredentials(
  text: string | undefined,
  host: string,
  fail: (problem: string) => SourceError,
): SecretCredentials {
  const config = dockerConfigSchema.safeParse(parseJson(text ?? ''));
  if (!config.success) throw fail(`has no configuration of registries in JSON in its key ${dockerConfigKey}`);
  const found = credentialsInAuths(config.data.auths, serverAddress(host));
  if (found === undefined) throw fail(`has no user name and password for ${host} in its key ${dockerConfigKey}`);
  return found;
}

function textOf(base64: string | undefined): string | undefined {
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64').toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema
  }
}
