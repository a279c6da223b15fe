// A client that only sends the requests that no installation can do without: the applies of the
// objects and two writes of the record, all at the same time.
import { randomBytes } from 'node:crypto';
import { type Connection, openConnection } from '../src/kube/connection.ts';

/** Number of bytes in a record. That of a release with a chart of 50 objects has about as many. */
const recordBytes = 4096;

export interface BareClient {
  /** Sends the requests of one installation, and returns their time in milliseconds. */
  install(release: string, namespace: string, objects: readonly object[]): Promise<number>;
  /** Deletes what an installation has created. */
  remove(release: string, namespace: string, objects: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the cluster of a kubeconfig file, with the agent's own HTTP client. */
export function openBareClient(kubeconfig: string): BareClient {
  const connection = openConnection({ file: kubeconfig });
  const bytes = randomBytes(recordBytes).toString('base64');
  const recordPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;

  return {
    async install(release, namespace, objects) {
      const requests = objects.map((object) => ({ path: pathOf(object, namespace), body: JSON.stringify(object) }));
      const record = (name: string) => ({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `bare.${release}.${name}` } },
        data: { release: bytes },
      });
      const records = ['first', 'second'].map((name) => JSON.stringify(record(name)));
      const started = performance.now();
      await Promise.all([
        ...requests.map(({ path, body }) => send(connection, 'PATCH', `${path}?fieldManager=bare&force=false`, body)),
        ...records.map((body) => send(connection, 'POST', recordPath(namespace), body)),
      ]);
      return performance.now() - started;
    },
    async remove(release, namespace, objects) {
      const paths = objects.map((object) => pathOf(object, namespace));
      const records = ['first', 'second'].map((name) => `${recordPath(namespace)}/bare.${release}.${name}`);
      await Promise.all([...paths, ...records].map((path) => send(connection, 'DELETE', path)));
    },
    close: () => connection.close(),
  };
}

const resources: Record<string, string> = {
  ConfigMap: '/api/v1/namespaces/*/configmaps',
  Service: '/api/v1/namespaces/*/services',
  ServiceAccount: '/api/v1/namespaces/*/serviceaccounts',
  Deployment: '/apis/apps/v1/namespaces/*/deployments',
};

function pathOf(object: object, namespace: string): string {
  const { kind, metadata } = object as { kind: string; metadata: { name: string } }; // of the benchmark's chart
  return `${(resources[kind] ?? '').replace('*', namespace)}/${metadata.name}`;
}

async function send(connection: Connection, method: 'PATCH' | 'POST' | 'DELETE', path: string, body?: string) {
  const { dispatcher, headers } = await connection.prepare();
  const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
  const response = await dispatcher.request({
    origin: new URL(connection.server).origin,
    ...{
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': type }) },
      body: body ?? null,
    },
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
}
