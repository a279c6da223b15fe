import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { readMetadata } from '../../chart/metadata/read-metadata.ts';

export interface ChartRepository {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the chart in a folder as an HTTP chart repository, like the files that `helm package` and
 * `helm repo index` write.
 */
export async function serveChart(folder: string): Promise<ChartRepository> {
  const { name, version } = readMetadata(await readFile(join(folder, 'Chart.yaml'), 'utf8'));
  const archive = await packChart(folder, name);
  const file = `${name}-${version}.tgz`;
  const digest = createHash('sha256').update(archive).digest('hex');
  const index = `apiVersion: v1
entries:
  ${name}:
    - apiVersion: v2
      name: ${name}
      version: ${version}
      urls: [${file}]
      digest: ${digest}
`;
  const files = new Map<string, string | Buffer>([
    ['/index.yaml', index],
    [`/${file}`, archive],
  ]);
  const server = createServer((request, response) => {
    const content = files.get(request.url ?? '');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function packChart(folder: string, name: string): Promise<Buffer> {
  const archive = pack();
  const packed = buffer(archive.pipe(createGzip()));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    archive.entry({ name: `${name}/${relative(folder, path)}` }, await readFile(path));
  }
  archive.finalize();
  return packed;
}
