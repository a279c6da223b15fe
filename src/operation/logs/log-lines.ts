import type { ObjectRef } from '../../objects/object.ts';
import type { HookEvent } from '../../release/hook.ts';

/** A container whose log is followed. */
export interface LogSource {
  /** The Job or Pod. */
  resource: ObjectRef;
  /** Event of the hook. Undefined if the resource is not a hook. */
  event?: HookEvent | undefined;
  pod: string;
  container: string;
}

/** Lines that a container has written while an operation waited for it. */
export interface LogLines extends LogSource {
  lines: readonly string[];
  /** The part that was left out after these lines, because it is too much. Default: none. */
  omitted?: { lines: number; bytes: number };
  /** Whether the operation reports no more lines, because it has reported too many. */
  isFull?: boolean;
}
