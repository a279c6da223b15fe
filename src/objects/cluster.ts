import type { KubeObject, ObjectRef, ResourceKind, ServedKind } from './object.ts';
import type { PatchSchema } from './patch/patch-schema.ts';

/** Version and API versions of an API server: the source of `.Capabilities`. */
export interface ClusterCapabilities {
  version: { gitVersion: string; major: string; minor: string };
  /** `group/version` and `group/version/Kind`, sorted, as Helm lists them from live discovery. */
  apiVersions: string[];
}

/** Selects objects of one kind. */
export interface ObjectQuery {
  apiVersion: string;
  kind: string;
  /** Default: all namespaces. */
  namespace?: string;
  /** Label selector in the API's form: `app=web,tier in (a,b)`. */
  labelSelector?: string;
  /** Field selector in the API's form: `metadata.name=web`. */
  fieldSelector?: string;
}

/** Selects objects of one kind for a list. */
export interface ListQuery extends ObjectQuery {
  /** Lists objects without anything but their metadata, which is small. Default: false. */
  metadataOnly?: boolean;
  /** Most objects to return, the first ones by name. Default: all. */
  most?: number;
}

/** Selects one page of the objects of a kind. */
export interface PageQuery extends ObjectQuery {
  /** Most objects of the page. It has fewer if they are large. */
  limit: number;
  /** Where the page before has ended, as the API server says. Default: the first page. */
  after?: string | undefined;
}

/** A page of objects, sorted by namespace and name. */
export interface ObjectPage {
  objects: KubeObject[];
  /** Where the next page starts. Undefined for the last page. */
  next?: string;
  /** Number of objects after this page, if the API server knows it. */
  remaining?: number;
}

/**
 * An event of `observe`: first a snapshot, then single changes, and another snapshot after a gap in
 * the watch. An object that is missing from a later snapshot no longer exists.
 */
export type ObservedChange =
  | {
      type: 'snapshot';
      objects: KubeObject[];
      /** Version of the collection. Undefined if it is not known. */
      resourceVersion?: string;
    }
  | { type: 'changed'; object: KubeObject }
  | { type: 'deleted'; object: KubeObject };

export interface WriteOptions {
  fieldManager?: string;
  /** Validates the request but changes nothing. Default: false. */
  dryRun?: boolean;
  /** Whether unknown fields are an error, or are dropped with a warning. Default: `Strict`. */
  fieldValidation?: 'Strict' | 'Warn';
  /** Called for each warning of the server, which may repeat itself. Must not throw. */
  onWarning?: (text: string) => void;
  signal?: AbortSignal;
}

interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Takes over fields that other managers own. Default: false, so that a conflict is an error. */
  force?: boolean;
}

interface DeleteOptions {
  /** Default: `Background`. */
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Deletes the object only if it has this uid. */
  uid?: string;
  /** Deletes the object only if it has this version. Needs a uid. */
  resourceVersion?: string;
  signal?: AbortSignal;
}

/** The times between which a time is, in milliseconds since the Unix epoch. */
export interface TimeRange {
  earliest: number;
  latest: number;
}

/** A port of a pod. */
export interface ForwardOptions {
  port: number;
  /** Ends the connection. */
  signal: AbortSignal;
}

/** A TCP connection to a port of a pod. Its input cannot be ended on its own. */
export interface ForwardedConnection {
  /**
   * Yields what arrives, until the other end closes the connection. Fails with `bad_request` if
   * nothing listens on the port, and with `unreachable`.
   */
  output(): AsyncIterable<readonly Buffer[]>;
  /** Resolves when the bytes are sent, or cannot be sent any more. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** A container of a pod. */
export interface ContainerRef {
  namespace: string;
  /** Name of the pod. */
  name: string;
  container: string;
}

/** A line that a container has written. */
export interface LogLine {
  /** Time at which it was written, in RFC 3339 with nanoseconds. */
  time: string;
  /** Without its line break. The end of a very long line is left out. */
  text: string;
}

export interface FollowOptions {
  /** Time of a line: those up to it are left out. Default: all lines are read. */
  after?: string | undefined;
  /** Reads the log of the run before. Default: false. */
  previous?: boolean;
  /**
   * Whether to read until the run ends, without a last line that has no line break, instead of all
   * lines so far. Default: true.
   */
  follow?: boolean;
  signal: AbortSignal;
}

export interface ExecOptions {
  /** The program and its arguments. */
  command: readonly string[];
  /** Whether the process has an input. */
  input: boolean;
  /** Whether the process has a terminal, with which its errors are part of its output. */
  tty: boolean;
  /** Ends the connection to the process. */
  signal: AbortSignal;
}

/** A part of what a process has written. */
export interface ProcessOutput {
  from: 'output' | 'error';
  /** In the order in which they were written. They are not joined, which would copy them. */
  parts: readonly Buffer[];
}

/** A process in a container that was started over a connection. */
export interface ContainerProcess {
  /**
   * Yields what the process writes, until it has ended. Reads only as fast as parts are consumed.
   * Fails with `unreachable` if the connection is lost before. Call it once.
   */
  output(): AsyncIterable<ProcessOutput>;
  /**
   * The exit code of a process whose {@link output} has ended. Throws `bad_request` with the reason
   * if the process could not be started.
   */
  readonly exitCode: number;
  /** Resolves when the bytes are sent. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the input. Rejects with `bad_request` if the API server is too old for that. */
  endInput(): Promise<void>;
  /** Sets the size of the terminal. */
  resize(size: { columns: number; rows: number }): Promise<void>;
  /** Ends the connection. The process has no more input, and may continue. */
  close(): void;
}

export interface LogOptions {
  /** Leaves out lines before this time, in RFC 3339 with whole seconds. Default: all are read. */
  since?: string | undefined;
  /** Number of the last lines to read. Default: all of them. */
  tail?: number | undefined;
  /** Reads until the run of the container ends. Default: false. */
  follow?: boolean | undefined;
  /** Reads the log of the run before. Default: false. */
  previous?: boolean | undefined;
  signal: AbortSignal;
}

/**
 * A Kubernetes API server. Every error has a `code` (see `ClusterErrorCode`), and the API server's
 * own sentence as its message. If a signal aborts, its reason is thrown.
 */
export interface Cluster {
  /**
   * Reads discovery again, so that the kinds of new CRDs are included. Returns the same object as
   * before if nothing has changed.
   */
  capabilities(signal?: AbortSignal): Promise<ClusterCapabilities>;
  /**
   * Returns the capabilities as they were read some seconds ago, and otherwise the present ones.
   */
  recentCapabilities(signal?: AbortSignal): Promise<ClusterCapabilities>;
  /**
   * Returns how the server serves a kind. Reads discovery again before it fails with
   * `unknown_kind`.
   */
  resourceKind(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ResourceKind>;
  /**
   * Returns how the server serves a kind in the version of the group that it prefers, or undefined
   * if no version has the kind. The group is empty for the core group.
   */
  servedKind(group: string, kind: string, signal?: AbortSignal): Promise<ResourceKind | undefined>;
  /**
   * Returns the present kinds of all groups, in the order of the API server: the version of a group
   * that it prefers comes first.
   */
  servedKinds(signal?: AbortSignal): Promise<ServedKind[]>;
  /** Returns the object, or undefined if it does not exist. */
  get(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  list(query: ListQuery, signal?: AbortSignal): Promise<KubeObject[]>;
  /** Returns one page. Throws `gone` if the page before is too old, and `bad_request`. */
  listPage(query: PageQuery, signal?: AbortSignal): Promise<ObjectPage>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Sends a PUT. With `metadata.resourceVersion`, it fails with `conflict` if the object has
   * changed since that version.
   */
  replace(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Sends a server-side apply. */
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** Sends a JSON merge patch (RFC 7386). */
  mergePatch(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<KubeObject>;
  /** Sends a strategic merge patch. Only kinds with a {@link patchSchema} accept it. */
  strategicMergePatch(ref: ObjectRef, patch: unknown, options?: WriteOptions): Promise<KubeObject>;
  /**
   * Returns how the fields of a kind merge in a strategic merge patch, or undefined for a custom
   * resource, which does not accept such a patch.
   */
  patchSchema(apiVersion: string, kind: string, signal?: AbortSignal): Promise<PatchSchema | undefined>;
  /** Returns whether there was an object to delete. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  /**
   * Follows objects by watches until `signal` aborts, then ends. Reconnects and takes another
   * snapshot on its own. Fails only if the server refuses the request (forbidden, unknown kind).
   */
  observe(query: ObjectQuery, signal: AbortSignal): AsyncIterable<ObservedChange>;
  /** Returns the present time of the API server. Undefined before its first response. */
  serverTime(): TimeRange | undefined;
  /** Returns the last lines of a container's log, or an empty string without a log. */
  podLog(pod: ContainerRef, options: { tailLines: number; previous?: boolean; signal?: AbortSignal }): Promise<string>;
  /**
   * Yields the lines of a container's log as they are written, until the run of the container ends.
   * Reads only as fast as lines are consumed. Yields nothing without a log. Fails with
   * `unreachable` or `server_error` if the log breaks off.
   */
  followLog(pod: ContainerRef, options: FollowOptions): AsyncIterable<LogLine>;
  /** Starts a process in a container. */
  exec(pod: ContainerRef, options: ExecOptions): Promise<ContainerProcess>;
  /** Connects to a port of a pod. */
  forwardPort(pod: { namespace: string; name: string }, options: ForwardOptions): Promise<ForwardedConnection>;
  /**
   * Yields the bytes of a container's log. Each line has its time before it, in RFC 3339, and a
   * space. Reads only as fast as bytes are consumed. Fails with `bad_request` without a log, and
   * with `unreachable` or `server_error` if the log breaks off.
   */
  streamLog(pod: ContainerRef, options: LogOptions): AsyncIterable<Uint8Array>;
}
