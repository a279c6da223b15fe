import type { KubeObject } from '../objects/object.ts';

// The same shapes as `operation/cluster.ts` declares: each layer owns its side, a test assigns one to the other.

/** What an API server can do: the source of `.Capabilities`. */
export interface ClusterCapabilities {
  version: { gitVersion: string; major: string; minor: string };
  /** `group/version` and `group/version/Kind`, sorted, as Helm lists them from live discovery. */
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
 * First a snapshot, then single changes; another snapshot after a gap in the watch.
 * An object that is missing from a later snapshot is gone.
 */
export type ObservedChange =
  | { type: 'snapshot'; objects: KubeObject[] }
  | { type: 'changed'; object: KubeObject }
  | { type: 'deleted'; object: KubeObject };

export interface ApplyOptions {
  fieldManager: string;
  /** Take fields that other managers own. Default false: a conflict is an error. */
  force?: boolean;
  /** Validate and answer, but change nothing. Default false. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

export interface WriteOptions {
  fieldManager?: string;
  dryRun?: boolean;
  signal?: AbortSignal;
}

export interface DeleteOptions {
  /** Default `Background`. */
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Only where the object still has this uid. */
  uid?: string;
  signal?: AbortSignal;
}
