import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SteeringAnnotations } from '../../readiness/index.ts';

/** An object that was seen in the cluster, or that was sent to it and not seen yet. */
export interface SeenObject {
  ref: ObjectRef;
  /** Tells it from a later object with the same name. Undefined if it was not seen yet. */
  uid?: string | undefined;
  /** Its version when it was seen. */
  resourceVersion?: string | undefined;
  /** Whether it was seen without Helm's label. Default: false. */
  isUnlabelled?: boolean | undefined;
  /** Annotations that steer a wait, as it was applied. Default: none. */
  steering?: SteeringAnnotations | undefined;
}

/** Returns an object as it was seen. With `generateName`, its name is that of the live object. */
export function seenObject(ref: ObjectRef, { metadata: { name, uid, resourceVersion } }: KubeObject): SeenObject {
  return { ref: { ...ref, name }, uid, resourceVersion };
}

/** Notes what an apply does, so that it can be continued after an interruption, or undone. */
export interface ChangeLog {
  /** Called before an object that does not exist is created. Resolves when that is noted. */
  creating(ref: ObjectRef): Promise<void>;
  /** Called for an object that was created or changed, with the response of the API server. */
  applied(object: SeenObject, response: KubeObject): void;
  deleted(object: SeenObject): void;
}
