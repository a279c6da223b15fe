import type { ChartSignature } from '../../chart/load/chart-content.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { ActionState } from '../act/action-state.ts';
import type { ApplySettings } from '../apply/apply-settings.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { CancelMode } from '../cancellation.ts';
import type { Deadline } from './deadline.ts';
import type { HookRun } from './hook-run.ts';
import { noChanges, type ObjectChanges } from './object-changes.ts';
import type { RecordedError } from './recorded-error.ts';

export type Verb = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test' | 'act';

/** Lists of steps: `main` is the verb itself, all others undo it after a failure. */
export type PhaseName = 'main' | 'settle' | 'fail' | 'clean-up' | 'uninstall' | 'rollback' | 'fail-rollback';

/** Value of `step` after the last step of a phase. */
export const phaseEnd = 'end';

/**
 * An operation as plain JSON data. Everything else that its steps need is found by it: the request
 * by `id`, and revisions in the storage.
 */
export interface OperationState {
  /** Version of this shape. */
  format: 1;
  /** Identifies the operation and its request. */
  id: string;
  verb: Verb;
  namespace: string;
  releaseName: string;
  phase: PhaseName;
  /** The next step of the phase, or {@link phaseEnd}. */
  step: string;
  deadline: Deadline;
  /** The revision that the present phase works on. Undefined until the history was read. */
  revision?: RevisionState;
  /** The changes of an operation on single objects. Undefined until they are known. */
  action?: ActionState;
  /** The error that ended the main phase. */
  failure?: Failure;
  /** How the operation was cancelled. Default: it was not, or its changes are undone. */
  cancelMode?: CancelMode;
  /** Undefined until the main phase has failed. */
  undo?: UndoState;
  /** Errors of an uninstallation that do not end it. */
  problems?: readonly RecordedError[];
}

/** An error, and the step that it ended. */
export interface Failure {
  step: string;
  error: RecordedError;
}

interface UndoState {
  /** The phases after the present one. */
  remaining: readonly PhaseName[];
  /** Deadline of the present phase. Undefined until it starts. */
  deadline?: Deadline;
  /** The phases that have ended. */
  ended: readonly { phase: PhaseName; failure?: Failure }[];
}

/** The verbs that work on a revision. */
type RevisionAction = Exclude<Verb, 'act'>;

/** A revision that is deployed or uninstalled. */
export interface RevisionState {
  action: RevisionAction;
  version: number;
  /** The signature of its chart. Default: none was verified. */
  chartSignature?: ChartSignature;
  /** Value of its `last_deployed`, by which this operation knows its own revision. */
  deployedAt?: string | undefined;
  /** Whether it is in the storage. `unknown` while it is being created. */
  stored: 'no' | 'unknown' | 'yes';
  /** Revision that a rollback deploys again. */
  target?: number;
  /** Uninstalled revision that an installation replaces. */
  replaced?: number;
  /** Revision of a client that has ended, which becomes `failed` before this one is stored. */
  recovered?: number;
  /** Revisions whose objects may be in the cluster. */
  baselines: readonly number[];
  /** Revisions that become `superseded` when this one is deployed. */
  superseded: readonly number[];
  /** Revisions above the history limit that are deleted when the operation needs them no more. */
  excess?: readonly number[];
  /** How its objects are applied. */
  apply: ApplySettings;
  /** Existing objects that were not part of the release and become part of it. */
  adopted: readonly SeenObject[];
  changes: ObjectChanges;
  hooks: readonly HookRun[];
  /** Whether the deployed revision stays, because the upgrade would change nothing. */
  unchanged?: boolean;
  /** Objects that an uninstallation leaves, because they existed before the release. */
  spared?: readonly SeenObject[];
  /** Objects that an uninstallation keeps because of their policy. */
  kept?: readonly ObjectRef[];
  /** Whether the release to uninstall is `uninstalled` already, and only its history is deleted. */
  isUninstalled?: boolean;
  /** When its uninstallation has started. */
  deletedAt?: string;
}

/** Returns the state of a revision that nothing was done to. */
export function revisionState(
  action: RevisionAction,
  version: number,
  rest: Partial<Omit<RevisionState, 'action' | 'version'>> = {},
): RevisionState {
  return {
    action,
    version,
    stored: 'no',
    baselines: [],
    superseded: [],
    apply: { method: 'ssa' },
    adopted: [],
    changes: noChanges,
    hooks: [],
    ...rest,
  };
}

/** Returns the revision of the present phase. There is one after the first step of each phase. */
export function revisionOf({ revision, phase, step }: OperationState): RevisionState {
  if (revision === undefined) throw new Error(`step ${step} of phase ${phase} has no revision`);
  return revision;
}

export function withRevision(state: OperationState, changes: Partial<RevisionState>): OperationState {
  return { ...state, revision: { ...revisionOf(state), ...changes } };
}
