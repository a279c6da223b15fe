/** Tells one listener that something changed; changes that come while it is busy count as one. */
export interface ChangeNotice {
  readonly notify: () => void;
  /** Resolves at the next change, at once where one came since the last call. */
  readonly next: () => Promise<void>;
}

export function changeNotice(): ChangeNotice {
  let changed = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      changed = true;
      wake?.();
    },
    next: async () => {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      changed = false;
    },
  };
}
