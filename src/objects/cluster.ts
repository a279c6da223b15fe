import type { KubeObject, ObjectRef, ResourceKind } from './object.ts';

/** What an API server can do: the source of `.Capabilities`. */
export interface ClusterCapabilities {
  version: { gitVersion: string; major: string; minor: string };
  /** `group/version` and `group/version/Kind`, as Helm lists them from live discovery. */
  apiVersions: string[];
}

/** Which objects to look at. Without `namespace`: of all namespaces. */
export interface ObjectQuery {
  apiVersion: string;
  kind: string;
  namespace?: string;
  /** Label selector in the API's form: `app=web,tier in (a,b)`. */
  labelSelector?: string;
  /** Field selector in the API's form: `metadata.name=web`. */
  fieldSelector?: string;
}

/**
 * What `observe` yields: first a snapshot, then single changes; another snapshot after a gap in the watch.
 * An object that is missing from a later snapshot is gone.
 */
export type ObservedChange =
  | { type: 'snapshot'; objects: KubeObject[] }
  | { type: 'changed'; object: KubeObject }
  | { type: 'deleted'; object: KubeObject };

interface ApplyOptions {
  fieldManager: string;
  /** Take fields that other managers own. Default false: a conflict is an error. */
  force?: boolean;
  /** Validate and answer, but change nothing. Default false. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

interface WriteOptions {
  fieldManager?: string;
  dryRun?: boolean;
  signal?: AbortSignal;
}

interface DeleteOptions {
  /** Default `Background`. */
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Only where the object still has this uid. */
  uid?: string;
  signal?: AbortSignal;
}

/**
 * The cluster as an operation needs it. Errors thrown by an implementation carry a `code`: `not_found`, `already_exists`, `conflict`, `forbidden`,
 * `unauthorized`, `invalid`, `bad_request`, `gone`, `too_many_requests`, `server_error`, `unreachable`, `unknown_kind`; and the API server's sentence as message.
 */
export interface Cluster {
  /** Reads discovery again: kinds of CRDs that were just created are in it. */
  capabilities(signal?: AbortSignal): Promise<ClusterCapabilities>;
  /** How the server serves a kind. Fails with `unknown_kind` after looking at discovery afresh. */
  resourceKind(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  /** The object, or undefined where there is none. */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(query: ObjectQuery, signal?: AbortSignal): Promise<KubeObject[]>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** PUT; with `metadata.resourceVersion` it fails with `conflict` where the object changed since. */
  replace(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply. */
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** JSON merge patch (RFC 7386). */
  mergePatch(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<KubeObject>;
  /** Whether there was something to delete. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  /**
   * Follows objects by list and watch until `signal` aborts, then ends. Reconnects and lists again by itself;
   * fails only where the server refuses (forbidden, unknown kind).
   */
  observe(query: ObjectQuery, signal: AbortSignal): AsyncIterable<ObservedChange>;
  /** The last lines of a container's log; empty where there is none. */
  podLog(
    pod: { namespace: string; name: string; container: string },
    options: { tailLines: number; previous?: boolean; signal?: AbortSignal },
  ): Promise<string>;
}
