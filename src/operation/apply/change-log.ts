import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SeenObject } from './seen-object.ts';

/** Notes what an apply does, so that it can be continued after an interruption, or undone. */
export interface ChangeLog {
  /** Called before an object that does not exist is created. Resolves when that is noted. */
  creating(ref: ObjectRef): Promise<void>;
  /** Called for an object that was created or changed, with the response of the API server. */
  applied(object: SeenObject, response: KubeObject): void;
  deleted(object: SeenObject): void;
}
