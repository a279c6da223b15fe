import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a chart that a test writes. */
export interface WrittenChart {
  /** Text of the only template. */
  manifest: string;
  /** Contents of files in `crds/`, by name. Default: none. */
  crds?: Record<string, string>;
  /** Contents of other files, by path in the chart. They replace those above. Default: none. */
  files?: Record<string, string>;
}

/** Writes a chart into a folder. Returns the path of the chart. */
export async function writeChart(folder: string, name: string, chart: WrittenChart): Promise<string> {
  const { manifest, crds = {}, files = {} } = chart;
  const path = join(folder, name);
  const all = {
    'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n',
    'values.yaml': '{}\n',
    'templates/objects.yaml': manifest,
    ...Object.fromEntries(Object.entries(crds).map(([file, text]) => [`crds/${file}`, text])),
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
}
