import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openError } from '../../../go/file-error.ts';
import { fromBytes } from '../../../go/text.ts';
import { replaceFile } from '../../../source/configuration/replace-file.ts';
import type { RepositoryEntry } from '../../../source/configuration/repositories-file.ts';
import { parseHttpUrl, resolveReference } from '../../../source/http/http-url.ts';
import { readIndex } from '../../../source/repository/index-file.ts';
import { SourceError } from '../../../source/source-error.ts';
import { YamlError } from '../../../yaml/yaml-error.ts';
import type { HelmContext } from '../context.ts';
import { parseChartUrl } from './chart-url.ts';
import { connect } from './connect.ts';
import { get, type RepositoryAccess } from './get.ts';

/** Returns the path of the index that Helm keeps of a repository. */
export function indexPath(name: string, { settings }: Pick<HelmContext, 'settings'>): string {
  return join(settings.repositoryCache, `${name}-index.yaml`);
}

/** Returns the path of the list of charts that Helm keeps of a repository. */
export function chartListPath(name: string, { settings }: Pick<HelmContext, 'settings'>): string {
  return join(settings.repositoryCache, `${name}-charts.txt`);
}

/** Refuses a URL of a repository that nothing can be downloaded from (pkg/repo/v1/chartrepo.go). */
export function requireRepositoryUrl(url: string): void {
  const { scheme } = parseChartUrl(url);
  if (scheme !== 'http' && scheme !== 'https' && scheme !== 'oci') {
    throw new Error(`could not find protocol handler for: ${scheme}`);
  }
}

/** Returns how files of a repository that was added by name are downloaded. */
export async function accessOf(
  entry: RepositoryEntry,
  context: Pick<HelmContext, 'env'>,
  timeoutMs?: number,
): Promise<RepositoryAccess> {
  const files = { ...entry, insecureSkipTlsVerify: entry.insecure_skip_tls_verify };
  return {
    url: entry.url,
    username: entry.username,
    password: entry.password,
    passCredentials: entry.pass_credentials_all,
    dispatcher: await connect(files, context),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

/** Downloads the index of a repository and checks it. Throws an error with Helm's text. */
export async function downloadIndex(access: RepositoryAccess, signal: AbortSignal): Promise<Buffer> {
  const url = resolveReference(parseHttpUrl(access.url), 'index.yaml');
  const data = await get(url.href, access, signal);
  readIndexText(fromBytes(data), access.url);
  return data;
}

/** Downloads the index of a repository into Helm's cache. */
export async function updateIndex(
  entry: RepositoryEntry,
  context: HelmContext,
  signal: AbortSignal,
  timeoutMs?: number,
): Promise<void> {
  const data = await downloadIndex(await accessOf(entry, context, timeoutMs), signal);
  const { chartNames } = readIndexText(fromBytes(data), entry.url);
  await mkdir(context.settings.repositoryCache, { recursive: true, mode: 0o755 });
  await replaceFile(chartListPath(entry.name, context), chartNames.map((name) => `${name}\n`).join(''));
  await replaceFile(indexPath(entry.name, context), data);
}

/** Reads the index that Helm keeps of a repository. Throws an error with Helm's text. */
export async function readCachedIndex(name: string, context: Pick<HelmContext, 'settings'>): Promise<string> {
  const path = indexPath(name, context);
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    throw openError(path, error);
  }
}

/** Reads the text of an index. Throws an error with Helm's text if it has one. */
export function readIndexText(text: string, where: string) {
  if (text === '') throw new Error('empty index.yaml file');
  try {
    return readIndex(text, where);
  } catch (error) {
    if (error instanceof SourceError && error.cause instanceof YamlError) throw error.cause;
    throw error;
  }
}
