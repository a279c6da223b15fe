import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../errors/index.ts';
import { parsedJson } from '../../objects/json-text.ts';
import { authSchema, credentialsInAuths, type RegistryCredentials, serverAddress } from './registry-auths.ts';
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
  if (config.auths === undefined || !Object.hasOwn(config.auths, address)) return;
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
  return (Object.hasOwn(credHelpers, address) && credHelpers[address]) || credsStore || undefined;
}

/** A missing file is an empty one. The content is not shown in errors: it has passwords. */
async function readConfig(path: string): Promise<RegistryConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  if (text.trim() === '') return {};
  const config = configSchema.safeParse(parsedJson(text));
  if (config.success) return config.data;
  throw new Error(`invalid config format: ${path} is not a configuration of registries in JSON`);
}

async function writeConfig(path: string, config: RegistryConfig): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(config, null, '\t'), 0o600);
}

/** The most that a program which keeps credentials may print. */
const maxHelperBytes = 1024 * 1024;

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/** Returns the functions of the program `docker-credential-NAME`, which keeps credentials. */
function credentialHelper(name: string) {
  const program = `docker-credential-${name}`;
  return {
    /** Returns undefined if the program has no credentials for the address. */
    async get(address: string): Promise<RegistryCredentials | undefined> {
      const { code, output } = await runProgram(program, 'get', address);
      if (code !== 0) return undefined;
      const { data } = answerSchema.safeParse(parsedJson(output));
      if (data === undefined) throw new Error(`${program} get did not print a user name and a secret in JSON`);
      const { Username: username, Secret: secret } = data;
      if (username === '<token>') return { username: '', password: '', identityToken: secret };
      return { username, password: secret };
    },
    async store(address: string, { username, password }: RegistryCredentials): Promise<void> {
      const entry = { ServerURL: address, Username: username || '<token>', Secret: password };
      await requireSuccess(program, 'store', JSON.stringify(entry));
    },
    async erase(address: string): Promise<void> {
      await requireSuccess(program, 'erase', address);
    },
  };
}

async function requireSuccess(program: string, action: string, input: string): Promise<void> {
  const { code } = await runProgram(program, action, input);
  if (code !== 0) throw new Error(`${program} ${action} failed with exit code ${code}`);
}

/** Errors do not quote what the program prints, because it may have secrets. */
function runProgram(program: string, action: string, input: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: maxHelperBytes, killSignal: 'SIGKILL' as const };
    const child = execFile(program, [action], options, (error, output) => {
      const code = error?.code ?? (error === null ? 0 : 1);
      if (typeof code === 'number') resolve({ code, output });
      else reject(new Error(`${program} ${action} failed: ${code}`));
    });
    child.stdin?.on('error', () => undefined); // the program may end before it has read everything
    child.stdin?.end(input);
  });
}
