import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChartError } from '../../chart/chart-error.ts';
import { readArchiveFiles } from '../../chart/load/load-archive.ts';
import { formatProblem } from '../../chart/metadata/installable.ts';
import { readApiVersion } from '../../chart/metadata/read-metadata.ts';
import { openError } from '../../go/file-error.ts';
import { fromBytes } from '../../go/text.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { requireArchive } from '../load-chart.ts';
import type { LocatedChart } from '../locate-chart.ts';

/**
 * Refuses a chart of an unknown format before it is loaded (pkg/chart/loader/load.go). `helm lint`
 * and `helm show` do not check this. Throws an error with Helm's text.
 */
export async function requireKnownFormat(located: LocatedChart): Promise<void> {
  const text = 'folder' in located ? await inFolder(located.folder) : await inArchive(located);
  const problem = formatProblem(apiVersionOf(text));
  if (problem !== undefined) throw new Error(problem);
}

async function inFolder(folder: string): Promise<string> {
  const path = join(folder, 'Chart.yaml');
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    const { message } = openError(path, error);
    throw new Error(`unable to detect chart at ${path}: ${message}`, { cause: error });
  }
}

async function inArchive(located: Extract<LocatedChart, { archive: Uint8Array }>): Promise<string> {
  requireArchive(located);
  const files = await readArchiveFiles(located.archive).catch((error: unknown) => {
    if (!(error instanceof ChartError)) throw error;
    throw new Error('unable to load chart archive', { cause: error });
  });
  const file = files.find(({ name }) => name === 'Chart.yaml');
  if (file === undefined) throw new Error('unable to detect chart version, no Chart.yaml found');
  return fromBytes(file.data);
}

function apiVersionOf(text: string): string {
  try {
    return readApiVersion(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`cannot load Chart.yaml: ${error.message}`, { cause: error });
  }
}
