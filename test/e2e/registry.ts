import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Status codes of the registry, by the name of the image. It has no images. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['busy', 429],
  ['denied', 403],
]);

/** Serves a registry for nodes on this machine. Returns its address and a function to end it. */
export async function serveRegistry(): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const [, , name = ''] = (request.url ?? '').split('/');
    const status = name === '' ? 200 : (statuses.get(name) ?? 404);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has a port
  return {
    address: `127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
