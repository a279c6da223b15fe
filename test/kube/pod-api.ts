import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { WebSocketServer } from 'ws';
import type { Cluster } from '../../src/objects/cluster.ts';
import { processHost } from '../../src/render/process-host.ts';
import { makeCertificates } from '../../src/sandbox/certificates.ts';

const certificates = makeCertificates(processHost(), '127.0.0.1');

/**
 * Starts an API server with TLS that responds to all requests with `{}`, and has a pod whose
 * processes and ports write `hello`. Returns its port and its CA in PEM form.
 */
export async function startPodApi(t: ExecutionContext): Promise<{ port: number; ca: string }> {
  const server = createServer({ cert: certificates.certificate, key: certificates.key }, (_request, response) =>
    response.end('{}'),
  );
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url }) => {
    const isPort = url?.includes('/portforward');
    if (isPort) socket.send(Buffer.of(0, 80, 0));
    socket.send(Buffer.concat([Buffer.of(isPort ? 0 : 1), Buffer.from('hello')]));
    if (!isPort) socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"status":"Success"}')]));
    socket.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ca: certificates.ca };
}

const pod = { namespace: 'shop', name: 'web-0' };
const { signal } = new AbortController();

/** Sends a request, and returns what a process and a port of the pod write. */
export async function podTexts(cluster: Cluster): Promise<string[]> {
  await cluster.capabilities(signal);
  const options = { command: ['true'], input: false, tty: false, signal };
  const process = await cluster.exec({ ...pod, container: 'app' }, options);
  let text = '';
  for await (const { parts } of process.output()) text += String(Buffer.concat(parts));
  return [text, await portText(cluster)];
}

/** Returns what a port of the pod writes. */
export async function portText(cluster: Cluster): Promise<string> {
  const port = await cluster.forwardPort(pod, { port: 80, signal });
  let text = '';
  for await (const parts of port.output()) text += String(Buffer.concat(parts));
  return text;
}
