import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { insecureTransportSetting, requireSecureTransport } from '../insecure-transport.ts';
import { readSettings, switchSchema, type Settings } from '../settings.ts';
import { createApiClient, type ApiClient } from './api-client.ts';

export const serverSettings = {
  server: {
    flag: '--server <url>',
    variable: 'HELM_AGENT_SERVER',
    description: 'URL of the control plane',
    default: 'http://127.0.0.1:8088',
  },
  tokenFile: {
    flag: '--token-file <file>',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description: "file with the token for the control plane's API",
  },
  insecureTransport: insecureTransportSetting,
} satisfies Settings<string>;

const serverSchema = z.object({
  server: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).default('http://127.0.0.1:8088'),
  tokenFile: z.string().optional(),
  insecureTransport: switchSchema,
});

/** Returns the client of the control plane that flags and environment name. */
export async function controlPlaneClient(
  flags: Readonly<Record<string, unknown>>,
  dependencies: Pick<ProgramDependencies, 'env' | 'readFile' | 'fetch'>,
): Promise<ApiClient> {
  const settings = readSettings(serverSchema, serverSettings, flags, dependencies.env);
  const { server, tokenFile } = settings;
  requireSecureTransport(serverSettings.server, { ...settings, url: server });
  const token =
    tokenFile === undefined ? undefined : await readToken(serverSettings.tokenFile, tokenFile, dependencies);
  const fetch: ProgramDependencies['fetch'] = (url, init) => dependencies.fetch(url, init);
  return createApiClient({ server, token, fetch, newKey: randomUUID });
}
