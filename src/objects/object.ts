/** The metadata that this project reads. All other fields are kept unchanged. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  [field: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A Kubernetes object as plain JSON. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Reference to one object. `namespace` is absent for a cluster-scoped kind. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** A kind as the API server's discovery describes it. */
export interface ResourceKind {
  /** `apps/v1`, or `v1` for the core group. */
  apiVersion: string;
  kind: string;
  /** The plural in URLs: `deployments`. */
  resource: string;
  namespaced: boolean;
}

/** A kind, and the other names by which people call it. */
export interface ServedKind extends ResourceKind {
  /** Singular and short names, such as `deployment` and `deploy`. */
  aliases: readonly string[];
}
