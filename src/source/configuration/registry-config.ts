import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../errors/index.ts';
import { credentialHelper } from './credential-helper.ts';
import { authSchema, credentialsInAuths, serverAddress } from './registry-auths.ts';
import type { RegistryCredentials } from './registry-credentials.ts';
import { replaceFile } from './replace-file.ts';

/** Docker's config.json, as far as it is about credentials. Other fields are kept. */
const configSchema = z.looseObject({
  auths: z.record(z.string(), authSchema).optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});
type RegistryConfig = z.infer<typeof configSchema>;

/**
 * Finds the credentials for a registry in the first of several configuration files that has some:
 * Helm looks into its own file and then into Docker's.
 */
export async function findRegistryCredentials(
  paths: readonly string[],
  host: string,
): Promise<RegistryCredentials | undefined> {
  for (const path of paths) {
    const found = await credentialsIn(await readConfig(path), serverAddress(host));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Stores the credentials for a registry, by a helper program if the file names one. */
export async function storeRegistryCredentials(
  path: string,
  host: string,
  credentials: RegistryCredentials,
): Promise<void> {
  const address = serverAddress(host);
  const config = await readConfig(path);
  const helper = helperFor(config, address);
  if (helper !== undefined) {
    await credentialHelper(helper).store(address, credentials);
    return;
  }
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  await writeConfig(path, { ...config, auths: { ...config.auths, [address]: { auth } } });
}

/** Removes the credentials for a registry. */
export async function removeRegistryCredentials(path: string, host: string): Promise<void> {
  const address = serverAddress(host);
  const config = await readConfig(path);
  const helper = helperFor(config, address);
  if (helper !== undefined) {
    await credentialHelper(helper).erase(address);
    return;
  }
  if (config.auths?.[address] === undefined) return;
  const auths = Object.fromEntries(Object.entries(config.auths).filter(([key]) => key !== address));
  await writeConfig(path, { ...config, auths });
}

/** Returns the paths of the files with credentials, in the order in which Helm reads them. */
export function registryConfigFiles(
  helmFile: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const folder = env['DOCKER_CONFIG'] || join(env['HOME'] ?? '', '.docker');
  return [helmFile, join(folder, 'config.json')];
}

async function credentialsIn(config: RegistryConfig, address: string): Promise<RegistryCredentials | undefined> {
  const helper = helperFor(config, address);
  if (helper !== undefined) return credentialHelper(helper).get(address);
  return credentialsInAuths(config.auths ?? {}, address);
}

function helperFor({ credHelpers = {}, credsStore }: RegistryConfig, address: string): string | undefined {
  return credHelpers[address] || credsStore || undefined;
}

/** A missing file is an empty one. The content is not shown in errors: it has passwords. */
async function readConfig(path: string): Promise<RegistryConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  if (text.trim() === '') return {};
  const config = configSchema.safeParse(parseJson(text));
  if (config.success) return config.data;
  throw new Error(`invalid config format: ${path} is not a configuration of registries in JSON`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema
  }
}

async function writeConfig(path: string, config: RegistryConfig): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(config, null, '\t'), 0o600);
}
