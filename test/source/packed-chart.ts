import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** Returns the Chart.yaml of a chart that tests recognize by its description. */
export function chartYaml(description: string, version = '1.0.0'): string {
  return `apiVersion: v2\nname: web\nversion: ${version}\ndescription: ${description}\n`;
}

/** Packs a chart. The archives of equal descriptions and versions are equal. */
export async function packChart(description: string, version?: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'web/Chart.yaml', mtime: new Date(0) }, chartYaml(description, version));
  tar.finalize();
  return gzipSync(await buffer(tar));
}
