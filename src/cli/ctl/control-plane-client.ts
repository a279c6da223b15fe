import { randomUUID, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { currentDate } from '../../go/host.ts';
import { readTraceparent } from '../../protocol/traceparent.ts';
import { readSettingFile, readToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { insecureTransportSetting, requireSecureTransport } from '../insecure-transport.ts';
import { readSettings, type Setting, settingError, type Settings, switchSchema } from '../settings.ts';
import { type ApiClient, type ApiClientOptions, createApiClient } from './api-client.ts';
import { keptToken } from './sign-in/kept-tokens.ts';
import { signedRequests } from './signed-requests.ts';
import { readSigningKeys, signingSchema, signingSettings } from './signing-settings.ts';

export const serverSettings = {
  server: {
    flag: 'server',
    value: 'url',
    variable: 'HELM_AGENT_SERVER',
    description: 'URL of the control plane',
    default: 'http://127.0.0.1:8088',
  },
  tokenFile: {
    flag: 'token-file',
    value: 'file',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description: "file with the token for the control plane's API",
  },
  caFile: {
    flag: 'ca-file',
    value: 'file',
    variable: 'HELM_AGENT_CA_FILE',
    description: 'file with the CAs that the certificate of the control plane may be from',
    default: "Node's CAs, and those of NODE_EXTRA_CA_CERTS",
  },
  insecureTransport: insecureTransportSetting,
  ...signingSettings,
} satisfies Settings<string>;

const serverSchema = z.object({
  server: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .refine(hasNoUserinfo, 'must have no user name and password; use --token-file')
    .default('http://127.0.0.1:8088'),
  tokenFile: z.string().optional(),
  caFile: z.string().optional(),
  insecureTransport: switchSchema,
  ...signingSchema.shape,
});

function hasNoUserinfo(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return username === '' && password === '';
}

/** Returns the client of the control plane that flags and environment name. */
export async function controlPlaneClient(...given: Parameters<typeof clientOptions>): Promise<ApiClient> {
  return createApiClient(await clientOptions(...given));
}

/**
 * Returns the options of clients of the control plane that flags and environment name. Without a
 * file with a token, they have the one that `ctl login` has kept for it.
 */
export async function clientOptions(
  flags: Readonly<Record<string, unknown>>,
  dependencies: Pick<ProgramDependencies, 'env' | 'readFile' | 'fetch' | 'host'>,
): Promise<ApiClientOptions> {
  const settings = readSettings(serverSchema, serverSettings, flags, dependencies.env);
  const { server, tokenFile, caFile } = settings;
  requireSecureTransport(serverSettings.server, { ...settings, url: server });
  const token =
    tokenFile === undefined
      ? await keptToken(server, dependencies)
      : await readToken(serverSettings.tokenFile, tokenFile, dependencies);
  const ca = caFile === undefined ? undefined : await readCertificates(serverSettings.caFile, caFile, dependencies);
  const fetch = ca === undefined ? dependencies.fetch : await fetchWithCa(ca);
  const traceparent = readTraceparent(dependencies.env['TRACEPARENT']);
  const signed = signedRequests(await readSigningKeys(settings, dependencies), () =>
    currentDate(dependencies.host).getTime(),
  );
  return { server, token, traceparent, ca, fetch, signed, newKey: randomUUID };
}

/** Returns a `fetch` that trusts only some CAs. */
async function fetchWithCa(ca: string): Promise<ProgramDependencies['fetch']> {
  // Node's own fetch takes no dispatcher of another version
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({ connect: { ca } });
  // the types of both describe the same standard
  const fetchWith = fetch as unknown as (url: string, init: object) => Promise<Response>;
  return (url, init) => fetchWith(url, { ...init, dispatcher });
}

/** Reads a file with certificates in PEM. Throws `SettingError`. */
async function readCertificates(
  setting: Setting,
  path: string,
  files: Pick<ProgramDependencies, 'readFile'>,
): Promise<string> {
  const bytes = await readSettingFile(setting, path, files);
  const text = new TextDecoder().decode(bytes);
  try {
    new X509Certificate(text); // OpenSSL ignores texts without a certificate
  } catch {
    throw settingError(setting, `${path} must have a certificate in PEM`);
  }
  return text;
}
