import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** Response to a request: a body, or a function that sends one. */
export type TestResponse = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface TestRepository {
  url: string;
  /** Requests in the order of their arrival. */
  requests: { url: string; authorization: string | undefined }[];
}

/**
 * Serves HTTP on the loopback interface until the test ends. `responses` has the responses by path;
 * every other path gets a 404.
 */
export async function serve(t: ExecutionContext, responses: Record<string, TestResponse>): Promise<TestRepository> {
  const requests: TestRepository['requests'] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    requests.push({ url, authorization: request.headers.authorization });
    const known = responses[url.replace(/\?.*/, '')];
    if (known === undefined) response.writeHead(404).end('not here');
    else if (typeof known === 'function') known(request, response);
    else response.end(known);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export interface TestEntry {
  version: string;
  url?: string;
  digest?: string;
}

/** Returns an index in the layout of `helm repo index`. */
export function indexYaml(entries: Record<string, TestEntry[]>): string {
  const charts = Object.entries(entries).map(([name, versions]) => {
    const items = versions.map(({ version, url = `${name}-${version}.tgz`, digest }) =>
      [
        '  - apiVersion: v2',
        '    created: "2024-05-06T07:08:09.123456789Z"',
        ...(digest === undefined ? [] : [`    digest: '${digest}'`]),
        `    name: ${name}`,
        `    urls:\n    - ${url}`,
        `    version: ${version}`,
      ].join('\n'),
    );
    return [`  ${name}:`, ...items].join('\n');
  });
  return `apiVersion: v1\nentries:\n${charts.join('\n')}\ngenerated: "2024-05-06T07:08:09Z"\n`;
}

export function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Returns a function that serves a body to one user only. */
export function guardedBy(user: string, password: string): (body: string | Buffer) => TestResponse {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return (body) => (request, response) => {
    if (request.headers.authorization === expected) response.end(body);
    else response.writeHead(401).end();
  };
}
