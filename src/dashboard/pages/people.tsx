import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ApiError } from '../server/api.ts';
import type { PersonSession } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { AccessTabs } from './tokens.tsx';

/** The sessions of people who have signed in: for administrators all, for others their own. */
export function PeopleView() {
  const { api } = useApp();
  const [ended, setEnded] = useState<PersonSession>();
  const sessions = useLoaded(async (signal) => {
    try {
      return await api.get<{ sessions: PersonSession[] }>('/api/sessions', signal);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unknown_route') return undefined;
      throw error;
    }
  }, []);
  return (
    <>
      <div class="heading">
        <h1>People</h1>
      </div>
      <AccessTabs current="people" />
      {sessions.value === undefined && !sessions.isLoading && !sessions.error ? (
        <NoProvider />
      ) : (
        <LoadedView of={sessions}>
          {(loaded) =>
            !loaded || loaded.sessions.length === 0 ? (
              <EmptyState title="No one is signed in">
                <p>People who sign in with your organisation are shown here, with their browsers and terminals.</p>
              </EmptyState>
            ) : (
              <SessionList sessions={loaded.sessions} onEnd={setEnded} />
            )
          }
        </LoadedView>
      )}
      {ended && (
        <Confirm
          title={`End the session of ${foreignName(ended.name)}?`}
          action="End the session"
          isDangerous
          onConfirm={async () => {
            await api.send('DELETE', `/api/sessions/${encodeURIComponent(ended.id)}`);
            sessions.reload();
          }}
          onClose={() => setEnded(undefined)}
        >
          <p>They have to sign in again, and their open streams end.</p>
        </Confirm>
      )}
    </>
  );
}

function NoProvider() {
  return (
    <EmptyState title="People have tokens only">
      <p>
        With <code>--sign-in-file</code>, people sign in with your organisation, and get their roles from its groups.
      </p>
    </EmptyState>
  );
}

function SessionList({
  sessions,
  onEnd,
}: {
  sessions: readonly PersonSession[];
  onEnd: (session: PersonSession) => void;
}) {
  return (
    <ul class="rows" aria-label="Sessions">
      {sessions.map((session) => (
        <li key={session.id}>
          <span class="row-main">
            <span class="row-title">
              <Name>{session.name}</Name> <span class="muted">{session.kind === 'ctl' ? 'ctl' : 'browser'}</span>
            </span>
            <span class="reason">
              signed in <Time at={session.createdAt} />, seen <Time at={session.seenAt} />
            </span>
          </span>
          <span class="row-end muted">
            ends <Time at={session.expiresAt} />
          </span>
          <span class="row-actions">
            <button type="button" onClick={() => onEnd(session)}>
              End
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}
