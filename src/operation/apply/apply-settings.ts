import { OperationError } from '../error.ts';

/** How the objects of a revision were applied, as Helm stores it. */
export type ApplyMethod = 'ssa' | 'csa';

/** The options of a request that say how objects are applied. */
export interface ApplyOptions {
  /**
   * Applies objects server-side, or client-side if false. `auto` does what the revision before did,
   * or that to roll back to, and is server-side for a new release. Default: `auto`.
   */
  serverSide?: boolean | 'auto';
  /** Takes over fields that other managers own with other values. Default: false. */
  forceConflicts?: boolean;
  /** Replaces existing objects instead of changing fields. Only client-side. Default: false. */
  forceReplace?: boolean;
  /** Takes over existing objects that do not belong to the release. Default: false. */
  takeOwnership?: boolean;
  /** `immutable` deletes and creates objects whose immutable fields change. Default: an error. */
  recreate?: 'immutable';
}

/** The options of an operation, with the method that follows from them. Plain data. */
export interface ApplySettings extends Omit<ApplyOptions, 'serverSide'> {
  method: ApplyMethod;
}

/**
 * Returns the settings for a revision. `auto` is the method of the `previous` one: revisions of
 * Helm 3 have none, and were applied client-side (pkg/action/upgrade.go,
 * getUpgradeServerSideValue).
 */
export function applySettings(
  { serverSide = 'auto', forceConflicts, forceReplace, takeOwnership, recreate }: ApplyOptions,
  previous: string | undefined,
): ApplySettings {
  const isServerSide = serverSide === 'auto' ? previous === 'ssa' : serverSide;
  return {
    method: isServerSide ? 'ssa' : 'csa',
    ...(forceConflicts && { forceConflicts }),
    ...(forceReplace && { forceReplace }),
    ...(takeOwnership && { takeOwnership }),
    ...(recreate && { recreate }),
  };
}

/**
 * Returns the settings for undoing an operation: options that do not fit the method are left out,
 * so that they cannot keep it from being undone.
 */
export function undoSettings(options: ApplyOptions, previous: string | undefined): ApplySettings {
  const { forceConflicts = false, forceReplace = false, ...settings } = applySettings(options, previous);
  const isServerSide = settings.method === 'ssa';
  return {
    ...settings,
    ...(forceConflicts && isServerSide && { forceConflicts }),
    ...(forceReplace && !isServerSide && { forceReplace }),
  };
}

/**
 * Throws `bad_payload`, with Helm's message, if existing objects cannot be changed with these
 * settings (pkg/kube/client.go, Update).
 */
export function checkApplySettings({ method, forceConflicts = false, forceReplace = false }: ApplySettings): void {
  const isServerSide = method === 'ssa';
  if (!isServerSide && forceConflicts)
    throw refused('invalid client update option(s): forceConflicts enabled when serverSideApply disabled');
  if (forceConflicts && forceReplace)
    throw refused('invalid operation: cannot use force conflicts and force replace together');
  if (isServerSide && forceReplace)
    throw refused('invalid operation: cannot use server-side apply and force replace together');
}

function refused(message: string): OperationError {
  return new OperationError('bad_payload', message);
}
