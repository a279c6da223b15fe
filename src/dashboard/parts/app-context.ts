import type { ReadonlySignal, Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Location } from '../route/location.ts';
import type { Api } from '../server/api.ts';
import type { Session } from '../server/session.ts';

/** The parts that all views share. */
export interface App {
  readonly session: Session;
  readonly api: Api;
  readonly location: Location;
  /** The time in milliseconds, each second. */
  readonly now: ReadonlySignal<number>;
  /** The number of streams on the page that are cut off now. */
  readonly lostStreams: Signal<number>;
  /** `system` follows the browser. */
  readonly theme: Signal<'system' | 'light' | 'dark'>;
}

export const AppContext = createContext<App | undefined>(undefined);

/** Returns the parts that all views share. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('there is no app around the component');
  return app;
}
