import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { readJsonLines } from '../../../src/kube/json-lines.ts';
import { kubeconfigOf } from '../../kube/fake-server.ts';

/** Sends the lines of a watch, or something else. `count` is the number of watches before. */
export type WatchFault = (lines: AsyncIterable<string>, response: ServerResponse, count: number) => Promise<void>;

/** Sends the lines as they are. */
export const passOn: WatchFault = async (lines, response) => {
  response.writeHead(200).flushHeaders();
  for await (const line of lines) response.write(`${line}\n`);
  response.end();
};

interface Upstream {
  url: string;
  ca: string;
  token: string;
}

/**
 * Starts a proxy in front of an API server whose watches have a fault. Returns its kubeconfig, and
 * functions that return the number of watches so far and the paths of those that are open.
 */
export async function startFaultyProxy(
  t: ExecutionContext,
  { url, ca, token }: Upstream,
  fault: WatchFault,
): Promise<{ kubeconfig: string; watches: () => number; openWatches: () => string[] }> {
  let watches = 0;
  const open = new Set<{ path: string }>();
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = httpsRequest(new URL(path, url), { method, headers, ca }, (answer) => {
      answer.on('error', () => outgoing.destroy());
      const isWatch = new URL(path, url).searchParams.has('watch') && answer.statusCode === 200;
      if (isWatch) {
        const watch = { path: new URL(path, url).pathname };
        open.add(watch);
        outgoing.once('close', () => open.delete(watch));
        void sendWatch(fault, answer, outgoing, watches++);
      } else {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      }
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has one while it listens
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    kubeconfig: kubeconfigOf(`http://127.0.0.1:${port}`),
    watches: () => watches,
    openWatches: () => [...open].map(({ path }) => path),
  };
}

async function sendWatch(
  fault: WatchFault,
  answer: IncomingMessage,
  outgoing: ServerResponse,
  count: number,
): Promise<void> {
  try {
    await fault(linesOf(answer), outgoing, count);
  } catch {
    outgoing.destroy(); // the client or the server has closed its connection
  }
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string, void, undefined> {
  for await (const value of readJsonLines(answer)) yield JSON.stringify(value);
}
