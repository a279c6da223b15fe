import type { KubeObject } from './object.ts';

/** An object that a request changes, as far as it names it. */
export interface ObjectTarget {
  apiVersion: string;
  kind: string;
  /** Default: none. */
  namespace?: string | undefined;
  name?: string | undefined;
}

/** Returns which object is sent. */
export function targetOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): ObjectTarget {
  return { apiVersion, kind, namespace, name };
}
