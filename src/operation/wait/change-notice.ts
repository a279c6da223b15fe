/** Wakes one waiter. */
export interface ChangeNotice {
  notify: () => void;
  /** Resolves at the next call of `notify`, at once if there was one since the last call. */
  next: () => Promise<void>;
}

/** Returns a notice. Changes while its waiter is busy count as one. */
export function changeNotice(): ChangeNotice {
  let hasChanged = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      hasChanged = true;
      wake?.();
    },
    next: async () => {
      if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      hasChanged = false;
    },
  };
}
