import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { loadArchive } from '../chart/load/load-archive.ts';
import { loadDirectory } from '../chart/load/load-directory.ts';
import { missingDependencies } from '../chart/metadata/installable.ts';
import { chartYaml } from '../chart/metadata/write-metadata.ts';
import { archiveName, packChart } from '../chart/save/pack-chart.ts';
import { messageOf } from '../errors/index.ts';
import { createError } from '../go/file-error.ts';
import { currentDate } from '../go/host.ts';
import { parseVersion } from '../go/semver.ts';
import { replaceFile } from '../source/configuration/replace-file.ts';
import { sha256 } from '../source/digest.ts';
import type { DownloadContext } from './context.ts';
import { requireKnownFormat } from './load-chart.ts';
import { readKeyringFile } from './read-limited.ts';

/** Changes of the chart; empty texts change nothing. */
interface Changes {
  readonly version: string;
  readonly appVersion: string;
}

/**
 * Packs the chart in a folder and writes the archive to another folder (pkg/action/package.go).
 * Returns the name of the archive. Throws an error with Helm's text.
 */
export async function packageChart(
  folder: string,
  destination: string,
  { version, appVersion }: Changes,
  { host, log }: Pick<DownloadContext, 'host' | 'log'>,
): Promise<string> {
  await requireKnownFormat({ folder });
  const chart = await loadDirectory(folder, { root: parse(folder).root, times: true, notice: log.notice });
  if (version !== '') chart.metadata.version = version;
  if (appVersion !== '') chart.metadata.appVersion = appVersion;
  parseVersion(chart.metadata.version);
  const missing = missingDependencies(chart);
  if (missing !== undefined) throw new Error(missing);
  const now = currentDate(host);
  return saveChart(chart, destination, now).catch((cause: unknown) => {
    throw new Error(`failed to save: ${messageOf(cause)}`, { cause });
  });
}

/** Writes the archive of a chart to a folder, and returns its name (pkg/chart/v2/util/save.go). */
export async function saveChart(chart: Chart, destination: string, now: Date): Promise<string> {
  const name = archiveName(chart);
  const facts = await stat(destination).catch(() => undefined);
  if (facts !== undefined && !facts.isDirectory()) throw new Error(`is not a directory: ${destination}`);
  await mkdir(destination, { recursive: true });
  const path = join(destination, name);
  await writeFile(path, await packChart(chart, now)).catch((error: unknown) => {
    throw createError(path, error);
  });
  return name;
}

/** The key that a package is signed with. */
export interface SigningKey {
  /** Path of a file with secret keys. */
  readonly keyring: string;
  readonly keyName: string;
  /** Opens the source of passphrases, and returns the function that returns that of a key. */
  readonly openPassphrase: () => Promise<(keyName: string) => Promise<string>>;
}

/**
 * Writes the provenance file of an archive beside it (pkg/action/package.go: Clearsign). Throws
 * errors with Helm's texts.
 */
export async function signPackage(
  path: string,
  { keyring, keyName, openPassphrase }: SigningKey,
  { host }: Pick<DownloadContext, 'host'>,
): Promise<void> {
  // most packages are not signed
  const { createSigner } = await import('../source/provenance/sign-archive.ts');
  const sign = await createSigner({ keyring: await readKeyringFile(keyring), keyName, openPassphrase });
  const archive = await readFile(path);
  const { metadata } = await loadArchive(archive);
  const chart = { fileName: basename(path), digest: await sha256(archive), metadata: chartYaml(metadata) };
  await replaceFile(`${path}.prov`, await sign(chart, currentDate(host)));
}
