import { mkdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { openError } from '../../../go/file-error.ts';
import { replaceFile } from '../../../source/configuration/replace-file.ts';
import type { HelmContext } from '../context.ts';
import { downloadChart } from '../download/download-chart.ts';
import { refuseVerification } from '../download/verification.ts';
import type { ChartPathOptions } from '../flags/chart-path-flags.ts';
import { expandArchive } from './expand-archive.ts';
import { messageOf } from '../../../operation/error.ts';

interface PullOptions extends ChartPathOptions {
  readonly destination: string;
  /** Folder to unpack the chart into, relative to the destination. Undefined: it stays packed. */
  readonly untar: string | undefined;
  /** Whether to download the signature as well. */
  readonly withProvenance: boolean;
}

/** Downloads a chart to a folder, and unpacks it if it should (pkg/action/pull.go). */
export async function pullChart(name: string, options: PullOptions, context: HelmContext): Promise<void> {
  if (options.verify) refuseVerification();
  const { signal } = new AbortController();
  const onPulled = (lines: string) => context.stdout.write(lines);
  const { archive, fileName, provenance } = await downloadChart(name, { ...options, onPulled }, context, signal);
  if (options.untar !== undefined) {
    await untar(name, archive, options.untar, options.destination);
    return;
  }
  const path = join(options.destination, fileName);
  await write(path, archive);
  if (!options.withProvenance) return;
  const signature = await provenance().catch((error: unknown) => {
    const reason = messageOf(error);
    context.stdout.write(`WARNING: Verification not found for ${name}: ${reason}\n`);
    return undefined;
  });
  if (signature !== undefined) await write(`${path}.prov`, signature);
}

async function write(path: string, data: Uint8Array): Promise<void> {
  await replaceFile(path, data).catch((error: unknown) => {
    throw openError(path, error);
  });
}

async function untar(name: string, archive: Uint8Array, untarFolder: string, destination: string): Promise<void> {
  const folder = isAbsolute(untarFolder) ? untarFolder : join(destination, untarFolder);
  const target = join(folder, basename(name));
  const isThere = await stat(target).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`failed to untar: a file or directory with the name ${target} already exists`);
  await mkdir(target, { recursive: true, mode: 0o755 });
  await expandArchive(archive, folder);
}
