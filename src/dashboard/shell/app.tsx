import { useSignalEffect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { views } from '../pages/views.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Loading } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { useCurrentInSight } from '../parts/use-current-in-sight.ts';
import { hrefOf, type RouteName } from '../route/route.ts';
import { localUser } from '../server/session.ts';
import { Help } from './help.tsx';
import { listenToKeys } from './keyboard.ts';
import { PageBoundary } from './page-boundary.tsx';
import { pageTitle, viewTitles } from './page-title.ts';
import { SignIn } from './sign-in.tsx';

/** The views in the navigation, with those that are parts of them. */
const sections = [
  ['overview', []],
  ['agents', ['agent', 'release', 'terminal', 'logs', 'connect']],
  ['rollouts', ['rollout', 'startRollout']],
  ['commands', ['command']],
  ['plans', ['plan']],
  ['sessions', ['session']],
  ['audit', []],
  ['tokens', ['people']],
] as const satisfies readonly (readonly [RouteName, readonly RouteName[]])[];

const sectionTitles = { ...viewTitles, tokens: 'Access' };

/** The page: navigation, the view of the address, and help. */
export function AppShell() {
  const { session, location } = useApp();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useSignalEffect(() => {
    document.title = pageTitle(location.place.value);
  });
  useEffect(() => listenToKeys(window, { go: (href) => location.go(href), showHelp: () => setHelpOpen(true) }), []);
  if (session.state.value === 'unknown') return <Loading />;
  if (session.state.value === 'signed-out') return <SignIn />;
  return (
    <div class="page">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header onHelp={() => setHelpOpen(true)} />
      <main id="main" tabIndex={-1}>
        <ConnectionState />
        <CurrentView />
      </main>
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function Header({ onHelp }: { onHelp: () => void }) {
  const { session, location } = useApp();
  const { name } = location.place.value;
  const user = session.user.value;
  const row = useCurrentInSight(name);
  return (
    <header>
      <a class="brand" href={hrefOf('overview', {})}>
        helm-agent
      </a>
      <nav ref={row} aria-label="Views">
        {sections.map(([route, parts]) => {
          const isCurrent = name === route || parts.some((part) => part === name);
          return (
            <a key={route} href={hrefOf(route, {})} aria-current={isCurrent ? 'page' : undefined}>
              {sectionTitles[route]}
            </a>
          );
        })}
      </nav>
      <div class="tools">
        <ThemeSwitch />
        <button type="button" class="plain" onClick={onHelp} title="Keys (?)" aria-label="Help about keys">
          ?
        </button>
        {user && (
          <span class="user">
            <Name>{user.name}</Name>
          </span>
        )}
        {user && user.name !== localUser && (
          <button type="button" class="plain" onClick={() => void session.signOut().catch(() => session.forget())}>
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

const themes = { system: 'light', light: 'dark', dark: 'system' } as const;
const themeSigns = { system: '◐', light: '○', dark: '●' } as const;

function ThemeSwitch() {
  const { theme } = useApp();
  const label = `Colours: ${theme.value}`;
  return (
    <button
      type="button"
      class="plain"
      title={label}
      aria-label={label}
      onClick={() => (theme.value = themes[theme.value])}
    >
      {themeSigns[theme.value]}
    </button>
  );
}

/** Says that lists are as they were when the control plane was reachable last. */
function ConnectionState() {
  const { lostStreams } = useApp();
  return (
    <div role="status">{lostStreams.value > 0 && <Badge tone="warning">The control plane is not reachable</Badge>}</div>
  );
}

function CurrentView() {
  const { location } = useApp();
  const { name, parameters } = location.place.value;
  const identity = [name, ...Object.values(parameters)].join('/');
  if (name === undefined) {
    return (
      <>
        <div class="heading">
          <h1>There is no such page</h1>
        </div>
        <p>
          The <a href={hrefOf('overview', {})}>overview</a> leads to all others.
        </p>
      </>
    );
  }
  const View = views[name];
  return (
    <PageBoundary key={identity}>
      <View {...parameters} />
    </PageBoundary>
  );
}
