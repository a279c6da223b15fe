import type { ChartDependency } from '../../chart/metadata/metadata.ts';
import { messageOf } from '../../errors/index.ts';
import { compareVersions, parseVersion } from '../../go/semver.ts';
import { GoError } from '../../go/value.ts';
import type { RepositoryEntry } from '../../source/configuration/repositories-file.ts';
import { maxProvenanceBytes } from '../../source/download-settings.ts';
import { parseHttpUrl, resolveReference } from '../../source/http/http-url.ts';
import type { RepositoryIndex } from '../../source/repository/index-file.ts';
import { get } from '../connection.ts';
import type { DownloadContext } from '../context.ts';
import type { DependencyOptions } from '../context.ts';
import { archiveFileName } from '../download-chart.ts';
import { downloadChart, type DownloadedChart } from '../download-chart.ts';
import { indexPath, readCachedIndex } from '../repository-cache.ts';
import { accessOf, readIndexText } from '../repository-index.ts';
import { fetchProvenance } from '../verify-chart.ts';
import { equalUrls } from './repository-names.ts';

interface DependencyArchive {
  readonly name: string;
  readonly archive: Uint8Array;
  /** Its signature, if it was downloaded. */
  readonly provenance: Uint8Array | undefined;
}

interface KnownRepository {
  readonly entry: RepositoryEntry;
  readonly index: RepositoryIndex;
}

/**
 * Returns a function that downloads a dependency in its exact version, and returns undefined for
 * one that it has downloaded before.
 */
export async function createDependencyDownloader(
  repositories: readonly RepositoryEntry[],
  options: DependencyOptions,
  context: DownloadContext,
): Promise<(dependency: ChartDependency) => Promise<DependencyArchive | undefined>> {
  const { signal } = new AbortController();
  const known: KnownRepository[] = [];
  for (const entry of repositories) {
    const index = readIndexText(await readCachedIndex(entry.name, context), indexPath(entry.name, context));
    known.push({ entry, index });
  }
  const done = new Set<string>();

  /** Prints the download. Returns whether it is the first one of this URL. */
  function begin(url: string, { name, repository }: ChartDependency): boolean {
    const isFirst = !done.has(url);
    const action = isFirst ? 'Downloading' : 'Already downloaded';
    context.stdout.write(`${action} ${name} from repo ${repository}\n`);
    done.add(url);
    return isFirst;
  }

  async function fromKnown({ entry, index }: KnownRepository, dependency: ChartDependency) {
    const { name, version = '', repository } = dependency;
    const url = resolveReference(parseHttpUrl(repository), urlIn(index, name, version));
    if (!begin(url.href, dependency)) return undefined;
    const access = await accessOf(entry, context);
    return verified(url.href, async () => ({
      reference: url.href,
      fileName: archiveFileName(url),
      archive: await get(url.href, access, signal),
      provenance: () => get(`${url.href}.prov`, access, signal, maxProvenanceBytes),
      provenanceUrl: `${url.href}.prov`,
    }));
  }

  async function fromElsewhere(dependency: ChartDependency) {
    const { name, version = '', repository } = dependency;
    const isRegistry = repository.startsWith('oci://');
    const url = isRegistry ? `${repository}/${name}` : repository;
    if (!begin(isRegistry ? `${url}:${version}` : `${url} ${name} ${version}`, dependency)) return undefined;
    const place = { repo: isRegistry ? '' : repository, version, passCredentials: false };
    const onPulled = (lines: string) => context.stdout.write(lines);
    const given = { ...options, ...(isRegistry ? {} : { username: '', password: '' }), ...place, onPulled };
    return verified(url, () => downloadChart(isRegistry ? url : name, given, context, signal));
  }

  /** Downloads a chart and verifies it as the options say. */
  async function verified(url: string, download: () => Promise<DownloadedChart>): Promise<DependencyArchive> {
    const { strategy, keyring } = options.verification ?? { strategy: 'never', keyring: '' };
    let reached = url;
    try {
      const chart = await download();
      const { fileName: name, archive } = chart;
      reached = chart.reference;
      const provenance = await fetchProvenance(chart, strategy, (line) => context.stdout.write(line));
      if (provenance !== undefined) {
        const { verifyDownloaded } = await import('../verify-chart.ts');
        await verifyDownloaded(chart, provenance, keyring, context);
      }
      return { name, archive, provenance };
    } catch (cause) {
      throw new Error(`could not download ${reached}: ${messageOf(cause)}`, { cause });
    }
  }

  return (dependency) => {
    const repository = known.find(({ entry }) => equalUrls(dependency.repository, entry.url));
    return repository === undefined ? fromElsewhere(dependency) : fromKnown(repository, dependency);
  };
}

/** Returns the URL of a version in an index; the first one if no version is given. */
function urlIn(index: RepositoryIndex, name: string, wanted: string): string {
  const versions = index.versionsOf(name);
  if (versions === undefined) throw new Error('could not find : entry not found');
  const entry = versions.find(({ version, urls }) => urls.length > 0 && (wanted === '' || isSame(version, wanted)));
  if (entry?.urls[0] === undefined) throw new Error('could not find : no matching version');
  return entry.urls[0];
}

function isSame(version: string, wanted: string): boolean {
  try {
    return compareVersions(parseVersion(version), parseVersion(wanted)) === 0;
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    return version === wanted;
  }
}
