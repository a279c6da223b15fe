// A proxy in front of an API server that counts requests.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import * as z from 'zod';

const kubeconfigSchema = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.string(), 'client-key-data': z.string() }) }),
  ]),
});

export interface CountingProxy {
  /** File with the kubeconfig of the proxy. */
  kubeconfig: string;
  /** `METHOD PATH` of each request since the last reset. */
  requests(): readonly string[];
  reset(): void;
  close(): Promise<void>;
}

/** Starts a proxy for a kubeconfig with one cluster and a client certificate. */
export async function startCountingProxy(kubeconfig: string, folder: string): Promise<CountingProxy> {
  const { clusters, users } = kubeconfigSchema.parse(load(await readFile(kubeconfig, 'utf8')));
  const { server: url, 'certificate-authority-data': ca } = clusters[0].cluster;
  const { 'client-certificate-data': certificate, 'client-key-data': key } = users[0].user;
  const decoded = (text: string) => Buffer.from(text, 'base64');
  const tls = { ca: decoded(ca), cert: decoded(certificate), key: decoded(key) };
  let requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    requests.push(`${method} ${path}`);
    const forwarded = httpsRequest(new URL(path, url), { method, headers, ...tls }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      outgoing.flushHeaders();
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has no other address
  const file = join(folder, 'proxy.kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'proxy', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    'current-context': 'proxy',
  };
  await writeFile(file, JSON.stringify(config));
  return {
    kubeconfig: file,
    requests: () => requests,
    reset() {
      requests = [];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
