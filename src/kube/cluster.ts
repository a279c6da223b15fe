import type { ProxyEnvironment } from '../go/http-proxy.ts';
import type { AccessReviewer } from '../objects/access.ts';
import { apiPath } from '../objects/api-path.ts';
import type { Cluster, WriteOptions } from '../objects/cluster.ts';
import type { KubeObject, ObjectRef, ResourceKind } from '../objects/object.ts';
import { pathSegment, requireObjectName } from '../objects/path-segment.ts';
import type { ServiceAccount } from '../objects/service-account.ts';
import { createAccessReviewer } from './access-review.ts';
import { createCapabilities } from './capabilities.ts';
import { type Connection, type ConnectionSource, impersonating, openConnection } from './connection.ts';
import { createDiscovery } from './discovery.ts';
import { isKubeError, isUnserved, KubeError } from './kube-error.ts';
import { listObjects, listPage } from './list.ts';
import { observeObjects, type ObserveTimes } from './observe.ts';
import { createPatchSchemas } from './patch-schema.ts';
import { followPodLog, readPodLog, streamPodLog } from './pod-log.ts';
import { createServerClock, type ServerClock } from './server-clock.ts';
import { type SharedDocuments, sharedDocuments } from './shared-documents.ts';
import { createTransport, type KubeRequest, type OnAttempt, type RetryDelays, type Transport } from './transport.ts';

/**
 * A `Cluster` behind a connection. All its errors are `KubeError`s, except InvalidNameError before
 * a request, and a signal's reason.
 */
export interface KubeCluster extends Cluster {
  /** The namespace of the kubeconfig's context. */
  readonly namespace: string;
  /** URL of the API server without a trailing slash. */
  readonly server: string;
  /** The rights of the user of the connection. */
  readonly access: AccessReviewer;
  /** Resolves if the API server responds, also if it refuses the request. Rejects otherwise. */
  answers(signal: AbortSignal): Promise<void>;
  /**
   * Returns the cluster as a service account sees it: all requests are sent as that account, which
   * the API server decides about. Connections are shared, and nothing that one account has read is
   * shown to another.
   */
  as(account: ServiceAccount): AccountCluster;
  /** Closes all connections. Requests that are still running fail. */
  close(): Promise<void>;
}

export interface ClusterTuning {
  /**
   * Returns the milliseconds that a write that is sent now may take. Throws if none may be sent.
   * Default: no limit.
   */
  writeTimeLimit?: () => number;
  retryDelays?: RetryDelays;
  /**
   * Whether a server that cannot be reached is an error at once, until it has responded. Default:
   * false.
   */
  failsUnreached?: boolean;
  /** Returns numbers from 0 up to 1, which spread retries. Default: they are not spread. */
  random?: () => number;
  observeTimes?: ObserveTimes;
  /** Called for each request that is sent, with the HTTP status if there was a response. */
  onAttempt?: OnAttempt;
  /** Age up to which capabilities are recent. */
  recentAge?: number;
  /** Names the proxy to the API server of a kubeconfig without `proxy-url`. Default: none. */
  proxyEnv?: ProxyEnvironment | undefined;
}

/** Returns a client of an API server. Sends nothing until the first call. */
export function connectCluster(source: ConnectionSource, tuning: ClusterTuning = {}): KubeCluster {
  const connection = openConnection(source, tuning.proxyEnv);
  const shared = { clock: createServerClock(), documents: sharedDocuments(), listedFirst: new Set<string>(), tuning };
  const { cluster, transport } = clusterOver(connection, shared);
  return {
    ...cluster,
    namespace: connection.namespace,
    server: connection.server,
    access: createAccessReviewer(transport),
    async answers(signal) {
      await transport.json({ method: 'GET', path: '/version', signal }).catch((error: unknown) => {
        // a server that starts or stops responds with 5xx
        if (!isKubeError(error) || error.status === 0 || error.status >= 500) throw error;
      });
    },
    as(account) {
      const seen = clusterOver(impersonating(connection, account), shared);
      return { ...seen.cluster, access: createAccessReviewer(seen.transport) };
    },
    close: () => connection.close(),
  };
}

/** A cluster as a service account sees it. */
interface AccountCluster extends Cluster {
  /** The rights of the account. */
  readonly access: AccessReviewer;
}

/** Knowledge about a server that belongs to no user of it. */
interface SharedKnowledge {
  clock: ServerClock;
  documents: SharedDocuments;
  /** API versions whose server cannot start a watch with the present objects. */
  listedFirst: Set<string>;
  tuning: ClusterTuning;
}

/** Returns the cluster as the user of a connection sees it. */
function clusterOver(
  connection: Connection,
  { clock, documents, listedFirst, tuning }: SharedKnowledge,
): { cluster: Cluster; transport: Transport } {
  const transport = createTransport(connection, {
    delays: tuning.retryDelays,
    random: tuning.random,
    failsUnreached: tuning.failsUnreached,
    clock,
    onAttempt: tuning.onAttempt,
  });
  const discovery = createDiscovery(transport, documents);
  const capabilities = createCapabilities(transport, discovery, tuning.recentAge);
  const patchSchemas = createPatchSchemas(transport, documents);
  const timeLimit = tuning.writeTimeLimit;
  const send = async (request: KubeRequest): Promise<KubeObject> => (await transport.json(request)) as KubeObject; // the API returns objects

  /**
   * Sends requests about a kind. If the server does not have their path, they are sent once more as
   * what the kind is served as now. Rejects with `unknown_kind` if it is served in other versions
   * only, and with `not_found` if it is not served any more.
   */
  async function aboutKind<T>(
    { apiVersion, kind }: { apiVersion: string; kind: string },
    signal: AbortSignal | undefined,
    use: (kind: ResourceKind) => Promise<T>,
  ): Promise<T> {
    const known = await discovery.find(apiVersion, kind, signal);
    try {
      return await use(known);
    } catch (error) {
      if (!isUnserved(error)) throw error;
      return await use(await discovery.findAgain(apiVersion, kind, signal));
    }
  }

  async function aboutObject<T>(
    ref: ObjectRef,
    signal: AbortSignal | undefined,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    pathSegment('resource name', ref.name);
    return await aboutKind(ref, signal, (kind) => {
      requireNamespace(kind, ref.namespace, 'when a resource name is provided');
      return use(apiPath(kind, { namespace: ref.namespace, name: ref.name }));
    });
  }

  const patch = (ref: ObjectRef, body: unknown, contentType: string, options: WriteOptions): Promise<KubeObject> =>
    aboutObject(ref, options.signal, (path) =>
      send({ method: 'PATCH', path, body, contentType, ...writeParts(options), timeLimit }),
    );

  const cluster: Cluster = {
    capabilities: (signal) => capabilities.current(signal),
    recentCapabilities: (signal) => capabilities.recent(signal),
    resourceKind: (apiVersion, kind, signal) => discovery.find(apiVersion, kind, signal),

    async servedKinds(signal) {
      const { kinds } = await discovery.refresh(signal);
      return kinds.filter(({ subresource }) => subresource === undefined);
    },

    servedKind: (group, kind, signal) => discovery.findServed(group, kind, signal),

    get: (ref, signal) =>
      undefinedIfNotFound(aboutObject(ref, signal, (path) => send({ method: 'GET', path, signal }))),

    list: (query, signal) =>
      aboutKind(query, signal, async (kind) => (await listObjects(transport, kind, query, signal)).objects),

    listPage: (query, signal) => aboutKind(query, signal, (kind) => listPage(transport, kind, query, signal)),

    async create(object, options = {}) {
      requireObjectName(object.metadata);
      return aboutKind(object, options.signal, (kind) => {
        requireNamespace(kind, object.metadata.namespace, 'during creation');
        const path = apiPath(kind, { namespace: object.metadata.namespace });
        return send({ method: 'POST', path, body: object, ...writeParts(options), timeLimit });
      });
    },

    replace: (object, options = {}) =>
      aboutObject(refOf(object), options.signal, (path) =>
        send({ method: 'PUT', path, body: object, ...writeParts(options), timeLimit }),
      ),

    async apply(object, options) {
      const { query, ...parts } = writeParts(options);
      return aboutObject(refOf(object), options.signal, (path) =>
        send({
          method: 'PATCH',
          path,
          query: { ...query, force: String(options.force ?? false) },
          body: object,
          contentType: 'application/apply-patch+yaml',
          idempotent: true,
          ...parts,
          timeLimit,
        }),
      );
    },

    mergePatch: (ref, body, options = {}) => patch(ref, body, 'application/merge-patch+json', options),
    strategicMergePatch: (ref, body, options = {}) =>
      patch(ref, body, 'application/strategic-merge-patch+json', options),

    patchSchema: (apiVersion, kind, signal) => patchSchemas.find(apiVersion, kind, signal),

    async delete(ref, options = {}) {
      const { uid, resourceVersion, propagation = 'Background', signal } = options;
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: propagation,
        ...(uid !== undefined && { preconditions: { uid, resourceVersion } }),
      };
      const deleted = aboutObject(ref, signal, async (path) => {
        try {
          await transport.json({ method: 'DELETE', path, body, signal, timeLimit });
          return true;
        } catch (error) {
          if (uid === undefined || !isKubeError(error, 'conflict')) throw error;
          // a failed precondition is a plain conflict: only the object shows which one it is
          const existing = await undefinedIfNotFound(send({ method: 'GET', path, signal }));
          if (existing?.metadata.uid === uid) throw error;
          return false;
        }
      });
      return (await undefinedIfNotFound(deleted)) ?? false;
    },

    observe: (query, signal) =>
      observeObjects(
        {
          transport,
          findKind: (stop, again) => discovery[again ? 'findAgain' : 'find'](query.apiVersion, query.kind, stop),
          query,
          listedFirst,
          times: tuning.observeTimes,
        },
        signal,
      ),
    serverTime: () => clock.now(),
    podLog: (pod, options) => readPodLog(transport, pod, options),
    followLog: (pod, options) => followPodLog(transport, pod, options),
    async exec(pod, options) {
      // `ws` and the rest are loaded by the first process
      const { execInContainer } = await import('./exec.ts');
      return await execInContainer(connection, pod, options);
    },
    async forwardPort(pod, options) {
      const { forwardPort } = await import('./port-forward.ts');
      return await forwardPort(connection, pod, options);
    },
    streamLog: (pod, options) => streamPodLog(transport, pod, options),
  };
  return { cluster, transport };
}

function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Refuses what client-go refuses before it sends a request, with the same message. */
function requireNamespace(kind: ResourceKind, namespace: string | undefined, when: string): void {
  if (kind.namespaced && !namespace) throw new KubeError('bad_request', `an empty namespace may not be set ${when}`);
}

/** Returns the parts of a request that all writes have. */
function writeParts(options: WriteOptions): Pick<KubeRequest, 'query' | 'onWarning' | 'signal'> {
  const { fieldManager, dryRun = false, fieldValidation = 'Strict', onWarning, signal } = options;
  return { query: { fieldManager, dryRun: dryRun ? 'All' : undefined, fieldValidation }, onWarning, signal };
}

async function undefinedIfNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isKubeError(error, 'not_found')) return undefined;
    throw error;
  }
}
