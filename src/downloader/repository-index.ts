import { mkdir } from 'node:fs/promises';
import { messageOf } from '../errors/index.ts';
import { parseUrl } from '../functions/support/net-url.ts';
import { quote } from '../go/strconv.ts';
import { fromBytes } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import { replaceFile } from '../source/configuration/replace-file.ts';
import type { RepositoryEntry } from '../source/configuration/repositories-file.ts';
import { parseHttpUrl, resolveReference } from '../source/http/http-url.ts';
import { readIndex } from '../source/repository/index-file.ts';
import { SourceError } from '../source/source-error.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { connect, get, type RepositoryAccess } from './connection.ts';
import type { DownloadContext } from './context.ts';
import { chartListPath, indexPath } from './repository-cache.ts';

/** Reads the URL of a chart or a repository as Go does. Throws Helm's error if it is not valid. */
export function parseChartUrl(url: string) {
  try {
    return parseUrl(url);
  } catch (cause) {
    if (!(cause instanceof GoError)) throw cause;
    throw new Error(`invalid chart URL format: ${url}`, { cause });
  }
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
  context: Pick<DownloadContext, 'env'>,
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
  context: DownloadContext,
  signal: AbortSignal,
  timeoutMs?: number,
): Promise<void> {
  const data = await downloadIndex(await accessOf(entry, context, timeoutMs), signal);
  const { chartNames } = readIndexText(fromBytes(data), entry.url);
  await mkdir(context.settings.repositoryCache, { recursive: true, mode: 0o755 });
  await replaceFile(chartListPath(entry.name, context), chartNames.map((name) => `${name}\n`).join(''));
  await replaceFile(indexPath(entry.name, context), data);
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

/** Prefix of the names of repositories that were not added: those of dependencies. */
export const unmanagedPrefix = 'helm-manager-';

/**
 * Downloads the indexes of repositories at the same time and prints the result of each. Returns the
 * URLs of those that failed.
 */
export async function updateIndexes(
  repositories: readonly RepositoryEntry[],
  context: DownloadContext,
  timeoutMs?: number,
): Promise<string[]> {
  const { signal } = new AbortController();
  const failed = await Promise.all(
    repositories.map(async (entry) => {
      const isNamed = !entry.name.startsWith(unmanagedPrefix);
      const repository = `the ${quote(isNamed ? entry.name : entry.url)} chart repository`;
      try {
        await updateIndex(entry, context, signal, timeoutMs);
        context.stdout.write(`...Successfully got an update from ${repository}\n`);
        return [];
      } catch (error) {
        const reason = messageOf(error);
        const place = isNamed ? ` (${entry.url})` : '';
        context.stdout.write(`...Unable to get an update from ${repository}${place}:\n\t${reason}\n`);
        return [entry.url];
      }
    }),
  );
  return failed.flat();
}

/** Downloads the indexes of all repositories that were added. Failures are only printed. */
export async function refreshRepositories(
  repositories: readonly RepositoryEntry[],
  context: DownloadContext,
): Promise<void> {
  if (repositories.length === 0) return;
  context.stdout.write('Hang tight while we grab the latest from your chart repositories...\n');
  await updateIndexes(repositories, context);
  context.stdout.write('Update Complete. ⎈Happy Helming!⎈\n');
}
