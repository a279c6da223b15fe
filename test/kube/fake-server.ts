import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExecutionContext } from 'ava';
import { type ClusterTuning, connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that responds with what a test gives it. */
export interface FakeServer {
  cluster: KubeCluster;
  kubeconfig: string;
  /** `GET /path?query` of all requests except those for discovery, in order. */
  requests: string[];
  /** Returns the number of TCP connections that were opened. */
  connections: () => number;
  /** Ends the server, so that connections to it are refused. */
  stop: () => void;
}

/** Short times, so that tests are fast. */
export const fastTimes: Required<Omit<ClusterTuning, 'onAttempt' | 'proxyEnv' | 'writeTimeLimit'>> = {
  retryDelays: [5, 5],
  observeTimes: {
    lifetime: 60_000,
    silence: 60_000,
    initialSilence: 60_000,
    firstPause: 5,
    longestPause: 20,
    steady: 1000,
  },
  recentAge: 60_000,
  failsUnreached: false,
  random: () => 0.5,
};

/**
 * Serves ConfigMaps, and the groups of `groups`, in the form of discovery. Calls `respond` once for
 * each request.
 */
export async function fakeServer(
  t: ExecutionContext,
  respond: Respond,
  tuning: ClusterTuning = fastTimes,
  groups: () => object[] = () => [],
): Promise<FakeServer> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/api' || path === '/apis') json(response, 200, discovery(path, groups));
    else {
      requests.push(`${request.method ?? ''} ${path}`);
      respond(request, response);
    }
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = kubeconfigOf(`http://127.0.0.1:${port}`);
  const cluster = connectCluster({ text: kubeconfig }, tuning);
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  t.teardown(async () => {
    await cluster.close();
    stop();
  });
  return { cluster, kubeconfig, requests, connections: () => connections, stop };
}

export function kubeconfigOf(server: string, user: object = { token: 'secret-token' }, more: object = {}): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true, ...more } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

function discovery(path: string, groups: () => object[]): unknown {
  const resources = [{ resource: 'configmaps', responseKind: { kind: 'ConfigMap' }, scope: 'Namespaced' }];
  const items = path === '/api' ? [{ versions: [{ version: 'v1', resources }] }] : groups();
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function failure(status: number, reason: string, message: string): unknown {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status };
}

/** The Status of an API server that has no object of this name. */
export function missing(name: string): unknown {
  return { ...(failure(404, 'NotFound', `"${name}" not found`) as object), details: { name } };
}

export const configMapRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'a' };

export function configMap(name: string, resourceVersion: string): unknown {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team', resourceVersion } };
}

/** Writes a body that does not end. Returns the bytes that were sent when the client stops it. */
export async function endless(response: ServerResponse): Promise<number> {
  const chunk = Buffer.alloc(256 * 1024, ' ');
  let bytes = 0;
  const body = Readable.from(
    (function* () {
      for (;;) {
        bytes += chunk.length;
        yield chunk;
      }
    })(),
  );
  await pipeline(body, response).catch(() => undefined); // the client destroys it
  return bytes;
}
