import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { parseUrl } from '../functions/support/net-url.ts';
import { quote } from '../go/strconv.ts';
import { GoError } from '../go/value.ts';
import type { RepositoryFlags } from './chart-options.ts';
import type { HelmLog } from './helm-log.ts';

/**
 * A chart that was found: an absolute path of a folder, or an archive with its path, or with the
 * name under which it was downloaded.
 */
export type LocatedChart = { folder: string } | { archive: Uint8Array; name: string };

/**
 * Finds the chart that a user names: a directory or an archive at a path, an archive at a URL, or
 * with `--repo` a chart of that repository (pkg/action/install.go: LocateChart). Throws an error
 * with Helm's text, or `SourceError`.
 */
export async function locateChart(
  given: string,
  { repo, version, devel, username, passwordFile, passCredentials, plainHttp }: RepositoryFlags,
  readPassword: (path: string) => Promise<string>,
  { warn, pulled }: Pick<HelmLog, 'warn' | 'pulled'>,
): Promise<LocatedChart> {
  const name = given.trim();
  if (!repo) {
    const local = await localChart(name);
    if (local !== undefined) return local;
    requireAddress(name);
  }
  const request = {
    chartName: name,
    repoUrl: repo || undefined,
    chartVersion: version?.trim() || (devel ? '>0.0.0-0' : undefined),
    username,
    password: passwordFile === undefined ? undefined : await readPassword(passwordFile),
    passCredentials,
  };
  const { createChartSource } = await import('../source/chart-source.ts');
  const source = createChartSource({ plainHttp, onWarning: warn, onPulled: pulled });
  return { archive: await source.download(request, new AbortController().signal), name };
}

/**
 * Returns the folder or the archive at a path; undefined if there is nothing and the path may be a
 * name. Throws an error with Helm's text.
 */
export async function localChart(path: string): Promise<LocatedChart | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) return { folder: resolve(path) };
  if (facts !== undefined) return { archive: await readFile(path), name: resolve(path) };
  if (isAbsolute(path) || path.startsWith('.')) throw new Error(`path ${quote(path)} not found`);
  return undefined;
}

/**
 * Refuses a name that is neither a path nor a URL. The helm CLI looks up a name with a slash in its
 * list of repositories.
 */
function requireAddress(name: string): void {
  const { scheme, host, path } = urlOf(name);
  if (scheme === 'oci') return;
  if (scheme !== '' && host !== '' && path !== '') {
    if (scheme !== 'http' && scheme !== 'https') throw new Error(`scheme ${quote(scheme)} not supported`);
    return;
  }
  const [repository = '', ...rest] = path.split('/');
  if (rest.length > 0) {
    const instead = `use --repo URL ${rest.join('/')}`;
    throw new Error(`repo ${repository} not found; helm-agent does not keep a list of repositories: ${instead}`);
  }
  const problem = `non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`;
  if (!/^[\w.-]+$/.test(name)) throw new Error(problem);
  throw new Error(
    `${problem}; there is no folder or archive ${name}; for a chart of a repository use --repo URL ${name}`,
  );
}

function urlOf(name: string) {
  try {
    return parseUrl(name);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new Error(`invalid chart URL format: ${name}`, { cause: error });
  }
}
