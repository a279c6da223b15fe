import { apiPath } from '../objects/api-path.ts';
import type { KubeObject, ObjectRef, ResourceKind } from '../objects/object.ts';
import { readCapabilities } from './capabilities.ts';
import { openConnection, type ConnectionSource } from './connection.ts';
import { createDiscovery } from './discovery.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { listObjects } from './list.ts';
import { observeObjects, type ObserveTimes } from './observe.ts';
import { readPodLog } from './pod-log.ts';
import { createTransport, type KubeRequest, type RetryDelays } from './transport.ts';
import type {
  ApplyOptions,
  ClusterCapabilities,
  DeleteOptions,
  ObjectQuery,
  ObservedChange,
  WriteOptions,
} from './types.ts';

/** One Kubernetes API server. All failures are `KubeError`s, but for an aborted signal, whose reason is thrown as it is. */
export interface KubeCluster {
  /** The namespace of the kubeconfig's context. */
  readonly namespace: string;
  capabilities(signal?: AbortSignal): Promise<ClusterCapabilities>;
  resourceKind(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(query: ObjectQuery, signal?: AbortSignal): Promise<KubeObject[]>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  replace(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  mergePatch(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<KubeObject>;
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  observe(query: ObjectQuery, signal: AbortSignal): AsyncIterable<ObservedChange>;
  podLog(
    pod: { namespace: string; name: string; container: string },
    options: { tailLines: number; previous?: boolean; signal?: AbortSignal },
  ): Promise<string>;
  /** Drops all connections; what is under way fails. */
  close(): Promise<void>;
}

/** Times that tests shorten. */
export interface ClusterTuning {
  retryDelays?: RetryDelays;
  observeTimes?: ObserveTimes;
}

/** A client of the API server that `source` names. Nothing is sent until the first call. */
export function connectCluster(source: ConnectionSource, tuning: ClusterTuning = {}): KubeCluster {
  const connection = openConnection(source);
  const transport = createTransport(connection, tuning.retryDelays);
  const discovery = createDiscovery(transport);
  const send = async (request: KubeRequest): Promise<KubeObject> => (await transport.json(request)) as KubeObject; // the API answers these requests with objects

  const kindOf = (ref: { apiVersion: string; kind: string }, signal?: AbortSignal): Promise<ResourceKind> =>
    discovery.find(ref.apiVersion, ref.kind, signal);

  /** The path of one object. */
  const pathOf = async (ref: ObjectRef, signal?: AbortSignal): Promise<string> => {
    const kind = await kindOf(ref, signal);
    if (ref.name === '') throw new KubeError('bad_request', 'resource name may not be empty');
    requireNamespace(kind, ref.namespace, 'when a resource name is provided');
    return apiPath(kind, { namespace: ref.namespace, name: ref.name });
  };

  return {
    namespace: connection.namespace,
    capabilities: (signal) => readCapabilities(transport, discovery, signal),
    resourceKind: (apiVersion, kind, signal) => discovery.find(apiVersion, kind, signal),

    async get(ref, signal) {
      const path = await pathOf(ref, signal);
      return unlessNotFound(send({ method: 'GET', path, signal }), undefined);
    },

    async list(query, signal) {
      return (await listObjects(transport, await kindOf(query, signal), query, signal)).objects;
    },

    async create(object, options = {}) {
      const kind = await kindOf(object, options.signal);
      requireNamespace(kind, object.metadata.namespace, 'during creation');
      const path = apiPath(kind, { namespace: object.metadata.namespace });
      return send({ method: 'POST', path, query: writeQuery(options), body: object, signal: options.signal });
    },

    async replace(object, options = {}) {
      const path = await pathOf(refOf(object), options.signal);
      return send({ method: 'PUT', path, query: writeQuery(options), body: object, signal: options.signal });
    },

    async apply(object, options) {
      return send({
        method: 'PATCH',
        path: await pathOf(refOf(object), options.signal),
        query: { ...writeQuery(options), force: String(options.force ?? false) },
        body: object,
        contentType: 'application/apply-patch+yaml',
        idempotent: true,
        signal: options.signal,
      });
    },

    async mergePatch(ref, patch, options = {}) {
      return send({
        method: 'PATCH',
        path: await pathOf(ref, options.signal),
        query: writeQuery(options),
        body: patch,
        contentType: 'application/merge-patch+json',
        signal: options.signal,
      });
    },

    async delete(ref, options = {}) {
      const body = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: options.propagation ?? 'Background',
        ...(options.uid !== undefined && { preconditions: { uid: options.uid } }),
      };
      try {
        await transport.json({
          method: 'DELETE',
          path: await pathOf(ref, options.signal),
          body,
          signal: options.signal,
        });
        return true;
      } catch (error) {
        if (isKubeError(error, 'not_found') || isOtherUid(error)) return false;
        throw error;
      }
    },

    observe: (query, signal) =>
      observeObjects(transport, (stop) => kindOf(query, stop), query, signal, tuning.observeTimes),
    podLog: (pod, options) => readPodLog(transport, pod, options),
    close: () => connection.close(),
  };
}

function refOf(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Refuses what client-go refuses before it sends anything, with its text. */
function requireNamespace(kind: ResourceKind, namespace: string | undefined, when: string): void {
  if (kind.namespaced && !namespace) throw new KubeError('bad_request', `an empty namespace may not be set ${when}`);
}

/** Unknown fields are refused, as Helm 4 does by default. */
function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun ? 'All' : undefined, fieldValidation: 'Strict' };
}

async function unlessNotFound<T, U>(answer: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (isKubeError(error, 'not_found')) return otherwise;
    throw error;
  }
}

function isOtherUid(error: unknown): boolean {
  return isKubeError(error, 'conflict') && error.message.includes('the UID in the precondition');
}
