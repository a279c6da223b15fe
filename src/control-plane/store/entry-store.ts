import { ControlPlaneError } from '../error.ts';
import type { StoredEntry } from './command-store.ts';

/** Where parts of the control plane keep their entries. */
export interface EntryStore {
  /** Stores an entry with the next changes. */
  keep: (entry: StoredEntry) => void;
  /**
   * Resolves when all changes so far are stored. Rejects with `ControlPlaneError`
   * `store_unavailable` if that is not possible soon. They are stored later then, so those that
   * must not exist have to be taken back. What creates something also waits before, so that
   * nothing is to be taken back while the store is known to fail.
   */
  stored: () => Promise<void>;
}

/** A store that can also be waited for without a limit. */
export interface PatientStore extends EntryStore {
  /** Resolves when all changes so far are stored, however long that takes. */
  storedLater: () => Promise<void>;
}

/** The error of a change that has taken effect, and that is stored later. */
export class NotStoredYetError extends ControlPlaneError {}

/**
 * Waits until a change is stored that stays in any case. Rejects with `NotStoredYetError`
 * `store_unavailable` if that is not possible soon.
 */
export async function storedOrKept({ stored }: Pick<EntryStore, 'stored'>): Promise<void> {
  try {
    await stored();
  } catch (error) {
    throw error instanceof ControlPlaneError ? new NotStoredYetError(error.code, error.message) : error;
  }
}

/** Waits until a change is stored. If that rejects, takes the change back and rejects as well. */
export async function storedOrTakenBack({ stored }: Pick<EntryStore, 'stored'>, takeBack: () => void): Promise<void> {
  try {
    await stored();
  } catch (error) {
    takeBack();
    throw error;
  }
}
