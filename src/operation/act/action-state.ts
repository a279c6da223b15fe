import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SeenObject } from '../apply/seen-object.ts';

/** A change of one object, which can be made again with the same effect. */
export type Change = {
  ref: ObjectRef;
  /** For the answer: `scaled from 2 to 5`. */
  text: string;
} & (
  | { type: 'patch'; uid: string; /** JSON merge patch. */ patch: Record<string, unknown> }
  | { type: 'delete'; uid: string }
  | { type: 'create'; object: KubeObject }
);

/** The changes of an operation on single objects, as they were decided once. */
export interface ActionState {
  changes: readonly Change[];
  /** The objects to wait for, as they were after the change. */
  waitFor: readonly SeenObject[];
  /** Time for which they must stay ready, in milliseconds. Default: 0. */
  settle?: number;
}
