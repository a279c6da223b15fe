import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import type { ScreenOptions } from './open-screen.ts';
import type { Screen } from './screen.ts';

export interface UsedScreen {
  readonly element: RefObject<HTMLDivElement | null>;
  /** Undefined until its script is loaded. */
  readonly screen: Screen | undefined;
  readonly error: Error | undefined;
}

/** Loads the terminal, and shows it while the component is there. The first options count. */
export function useScreen(options: ScreenOptions): UsedScreen {
  const element = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<{ screen?: Screen; error?: Error }>({});
  useEffect(() => {
    let screen: Screen | undefined;
    let isGone = false;
    const open = async () => {
      const { openScreen } = await import('./open-screen.ts');
      if (isGone || !element.current) return;
      screen = openScreen(element.current, options);
      setState({ screen });
    };
    open().catch((reason: unknown) => {
      if (!isGone) setState({ error: asError(reason) });
    });
    return () => {
      isGone = true;
      screen?.close();
    };
  }, []);
  return { element, screen: state.screen, error: state.error };
}
