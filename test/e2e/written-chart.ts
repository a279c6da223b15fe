import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a chart that a test writes. */
export interface WrittenChart {
  /** Text of the only template. */
  manifest: string;
  /** Contents of files in `crds/`, by name. Default: none. */
  crds?: Record<string, string>;
}

/** Writes a chart into a folder. Returns the path of the chart. */
export async function writeChart(folder: string, name: string, { manifest, crds = {} }: WrittenChart): Promise<string> {
  const path = join(folder, name);
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n',
    'values.yaml': '{}\n',
    'templates/objects.yaml': manifest,
    ...Object.fromEntries(Object.entries(crds).map(([file, text]) => [`crds/${file}`, text])),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
}
