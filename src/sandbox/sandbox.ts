import { dump } from 'js-yaml';
import type { KubeObject } from '../objects/object.ts';
import { route } from './api/router.ts';
import { listen } from './api/server.ts';
import { makeCertificates } from './certificates.ts';
import { type ClusterState, createClusterState } from './cluster/cluster-state.ts';
import { nodeName } from './controllers/nodes.ts';
import { startControllers } from './controllers/start.ts';
import type { SandboxHost } from './sandbox-host.ts';

export interface SandboxOptions {
  host: SandboxHost;
  /** Address to listen on. Default: 127.0.0.1. */
  address?: string;
  /** Port to listen on. Default: a free port. */
  port?: number;
  /**
   * `http` for plain HTTP, which clients that connect often are faster with. It needs no token, as
   * clients send none without TLS. Default: `https`, as API servers serve.
   */
  scheme?: 'http' | 'https';
  /**
   * Factor by which simulated time is faster than real time. Default: 1, a pod is ready about a
   * second after its creation.
   */
  speed?: number;
  /** Number of changes that are kept for watches that resume. Default: 10,000. */
  historyLimit?: number;
  /** Time between bookmarks of a watch, in milliseconds. Default: 60,000. */
  bookmarkInterval?: number;
  /** Closes the sandbox when aborted. */
  signal?: AbortSignal;
}

export interface Sandbox {
  /** `https://127.0.0.1:PORT`, or `http://…` */
  url: string;
  /** Kubeconfig with the URL, the certificate authority, and the token if one is needed. */
  kubeconfig: string;
  /** Certificate authority that issued the server's certificate, as PEM. */
  ca: string;
  /** Closes all connections and stops the simulation. */
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API server in memory, with the default namespaces and simulated workloads.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host, address = '127.0.0.1' } = options;
  const certificates = makeCertificates(host, address);
  const isHttp = options.scheme === 'http';
  const token = isHttp ? undefined : Buffer.from(host.randomBytes(24)).toString('base64url');
  const state = createClusterState(host, options.historyLimit ?? 10_000);
  const controllers = startControllers(state, { speed: options.speed ?? 1, ca: certificates.ca });
  bootstrap(state);
  const settings = { bookmarkInterval: options.bookmarkInterval ?? 60_000, lifetime: 1_800_000 };
  const server = await listen(
    {
      ...{ host: address, port: options.port ?? 0, token },
      certificates: isHttp ? undefined : certificates,
    },
    (request) => route(state, settings, request),
  ).catch((error: unknown) => {
    controllers.stop();
    throw error;
  });
  const close = async (): Promise<void> => {
    controllers.stop();
    await server.close();
  };
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  return {
    url: server.url,
    kubeconfig: kubeconfigText(server.url, certificates.ca, token),
    ca: certificates.ca,
    close,
  };
}

/** Objects of every new cluster. */
const objects: KubeObject[] = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  })),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux' } },
    spec: {},
  },
];

/** Creates the objects of every new cluster. */
function bootstrap(state: ClusterState): void {
  for (const object of objects) {
    const type = state.registry.byKind(object.apiVersion, object.kind);
    if (type) state.objects.create(type, object.metadata.namespace ?? '', object);
  }
}

/** Returns a kubeconfig (YAML) whose only context reaches `server`, with a bearer token if any. */
export function kubeconfigText(server: string, ca: string, token: string | undefined): string {
  const name = 'sandbox';
  return dump(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
      users: [{ name, user: token === undefined ? {} : { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
      'current-context': name,
    },
    { lineWidth: -1 },
  );
}
