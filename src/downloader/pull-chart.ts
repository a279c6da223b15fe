import { lstat, mkdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { openError } from '../go/file-error.ts';
import { replaceFile } from '../source/configuration/replace-file.ts';
import type { DownloadContext } from './context.ts';
import type { ChartPathOptions } from './context.ts';
import { isArchiveName } from './download-chart.ts';
import { downloadChart, type DownloadedChart } from './download-chart.ts';
import { expandArchive } from './expand-archive.ts';
import { verificationText } from './helm-texts.ts';
import { fetchProvenance } from './verify-chart.ts';

interface PullOptions extends ChartPathOptions {
  readonly destination: string;
  /** Folder to unpack the chart into, relative to the destination. Undefined: it stays packed. */
  readonly untar: string | undefined;
  /** Whether to download the signature as well. */
  readonly withProvenance: boolean;
}

/**
 * Downloads a chart to a folder, with its signature if it should, and unpacks it if it should
 * (pkg/action/pull.go). An archive stays in the folder if it fails verification, as in Helm.
 */
export async function pullChart(name: string, options: PullOptions, context: DownloadContext): Promise<void> {
  const { destination, verify, keyring } = options;
  const { signal } = new AbortController();
  const onPulled = (lines: string) => context.stdout.write(lines);
  const chart = await downloadChart(name, { ...options, onPulled }, context, signal);
  const save = async (suffix: string, data: Uint8Array) => {
    if (options.untar === undefined) await write(join(destination, `${chart.fileName}${suffix}`), data);
  };
  let output = ''; // printed only if nothing fails
  await save('', chart.archive);
  const strategy = verify ? 'always' : options.withProvenance ? 'later' : 'never';
  const provenance = await fetchProvenance(chart, strategy, (line) => (output += line));
  if (provenance !== undefined) await save('.prov', provenance);
  if (verify && provenance !== undefined) {
    const { verifyDownloaded } = await import('./verify-chart.ts');
    output += verificationText(await verifyDownloaded(chart, provenance, keyring, context));
  }
  if (options.untar !== undefined) await untar(name, chart, options.untar, options);
  context.stdout.write(output);
}

async function write(path: string, data: Uint8Array): Promise<void> {
  if (!isArchiveName(path) && (await isThere(path))) {
    throw new Error(`${path} already exists, and its name is not that of an archive; move it, or use --destination`);
  }
  await replaceFile(path, data).catch((error: unknown) => {
    throw openError(path, error);
  });
}

async function untar(
  name: string,
  { archive, fileName }: DownloadedChart,
  untarFolder: string,
  { destination, repo }: PullOptions,
): Promise<void> {
  const folder = isAbsolute(untarFolder) ? untarFolder : join(destination, untarFolder);
  const target = join(folder, basename(name));
  if (await isThere(target)) {
    throw new Error(`failed to untar: a file or directory with the name ${target} already exists`);
  }
  const isUrl = repo === '' && /^https?:/i.test(name);
  const chartName = isUrl ? undefined : basename(name).replace(/[:@].*$/s, '');
  await expandArchive(archive, folder, { chartName, fileName });
  await mkdir(target, { recursive: true, mode: 0o755 }); // Helm's is empty if it has another name
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
