import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { helm } from './helm.ts';

/**
 * Packages a chart with helm and serves it as an HTTP repository on all addresses of this host
 * until the test ends. Returns the port.
 */
export async function serveChart(t: ExecutionContext, chart: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-repository-'));
  await helm('helm4', 'package', chart, '--destination', folder);
  await helm('helm4', 'repo', 'index', folder);
  const server = createServer((request, response) => {
    readFile(join(folder, basename(request.url ?? ''))).then(
      (file) => response.end(file),
      () => response.writeHead(404).end(),
    );
  });
  t.teardown(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // a listening TCP server has one
}
