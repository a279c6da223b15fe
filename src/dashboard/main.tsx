import { signal } from '@preact/signals';
import { render } from 'preact';
import { AppContext } from './parts/app-context.ts';
import { createLocation } from './route/location.ts';
import { createApi } from './server/api.ts';
import { createSession } from './server/session.ts';
import { AppShell } from './shell/app.tsx';
import { createTheme } from './shell/theme.ts';

const send: typeof fetch = (input, init) => fetch(input, init);
const session = createSession({ storage: sessionStorage, fetch: send });
const api = createApi({
  address: window.location.href,
  fetch: send,
  headers: () => session.headers(),
  protocols: () => session.protocols(),
  onSignedOut: () => session.forget(),
});
const now = signal(new Date().getTime());
setInterval(() => (now.value = new Date().getTime()), 1000);
const app = {
  session,
  api,
  location: createLocation(window),
  now,
  lostStreams: signal(0),
  theme: createTheme(document.documentElement, localStorage),
};

render(
  <AppContext.Provider value={app}>
    <AppShell />
  </AppContext.Provider>,
  document.body,
);

/** Asks who the user is until the control plane replies. */
async function resume(): Promise<void> {
  await session.resume().catch(() => setTimeout(() => void resume(), 2000));
}
await resume();
