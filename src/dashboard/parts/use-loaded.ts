import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';

export interface Loaded<Value> {
  /** Undefined until it is loaded for the first time. It stays while it is loaded again. */
  readonly value: Value | undefined;
  /** Why it could not be loaded the last time. */
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface State<Value> {
  value: Value | undefined;
  error: Error | undefined;
  isLoading: boolean;
}

export interface LoadOptions {
  /** Pause in milliseconds before it is loaded again, if the page is visible. Default: never. */
  everyMs?: number;
  /** Whether the last value stays while one for other inputs is loaded. Default: false. */
  keepsValue?: boolean;
}

/** Loads a value when the component appears, and when `inputs` change. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  { everyMs, keepsValue = false }: LoadOptions = {},
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ value: undefined, error: undefined, isLoading: true });
  const [round, setRound] = useState(0);
  const shown = useRef<readonly unknown[]>(inputs);
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOther = shown.current.some((input, index) => input !== inputs[index]);
    shown.current = inputs;
    setState(({ value }) => ({ value: isOther && !keepsValue ? undefined : value, error: undefined, isLoading: true }));
    const run = async () => {
      try {
        const value = await load(gone.signal);
        if (!gone.signal.aborted) setState({ value, error: undefined, isLoading: false });
      } catch (error) {
        if (gone.signal.aborted) return;
        const reason = asError(error);
        setState(({ value }) => ({ value, error: reason, isLoading: false }));
      }
      if (everyMs !== undefined && !gone.signal.aborted) timer = setTimeout(next, everyMs);
    };
    const next = () => {
      if (document.visibilityState === 'visible') void run();
      else document.addEventListener('visibilitychange', next, { once: true });
    };
    void run();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', next);
    };
    // `load` is another function in each render; the inputs are what it depends on
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  return { ...state, reload };
}
