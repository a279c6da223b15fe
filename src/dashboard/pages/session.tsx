import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState, ErrorMessage } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { Api } from '../server/api.ts';
import { ApiError } from '../server/api.ts';
import type { ListedCommand, ListedRecording } from '../server/types.ts';
import { type ConnectedSession, connectSession, type SessionEnd } from '../terminal/connect-session.ts';
import { useScreen } from '../terminal/use-screen.ts';
import { foreignName } from '../text/foreign-text.ts';
import { RecordingPlayer } from './recording-player.tsx';

/** A session of a shell: live while it is open, and its recording afterwards. */
export function SessionView({ command: key }: { command: string }) {
  const { api } = useApp();
  const about = useLoaded((signal) => loadSession(api, key, signal), [key]);
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('sessions', {})}>Sessions</a> /
      </div>
      <LoadedView of={about}>
        {({ command, recording }) => {
          if (!command && !recording) return <NoSession />;
          const { agentId, namespace } = recording ?? command ?? {};
          const user = recording?.user ?? command?.sentBy;
          const isOpen = command !== undefined && command.state !== 'done';
          return (
            <>
              {isOpen ? (
                <WatchedSession command={command} onEnd={about.reload} />
              ) : (
                <>
                  <div class="heading">
                    <h1>Recording</h1>
                  </div>
                  {recording ? <RecordingPlayer key={key} commandKey={key} /> : <NoRecording />}
                </>
              )}
              <Facts
                of={[
                  ['Who', user === undefined ? undefined : <Name key="user">{user}</Name>],
                  ['Agent', agentId === undefined ? undefined : <AgentLink key="agent" agent={agentId} />],
                  ['Namespace', namespace === undefined ? undefined : <Name key="namespace">{namespace}</Name>],
                  ['Pod', recording?.pod && foreignName(recording.pod)],
                  ['Container', recording?.container && foreignName(recording.container)],
                  ['Program', recording?.command && foreignName(recording.command)],
                  ['Reason', recording?.reason && foreignName(recording.reason, 500)],
                  ['Began', <Time key="began" at={recording?.startedAt ?? command?.createdAt} />],
                ]}
              />
            </>
          );
        }}
      </LoadedView>
    </>
  );
}

function AgentLink({ agent }: { agent: string }) {
  return (
    <a href={hrefOf('agent', { agent })}>
      <Name>{agent}</Name>
    </a>
  );
}

function NoSession() {
  return (
    <EmptyState title="There is no such session">
      <p>Its command and its recording may have been deleted, or you may not see them.</p>
    </EmptyState>
  );
}

function NoRecording() {
  return (
    <EmptyState title="The session has ended, and has no recording">
      <p>
        A control plane with <code>--record-sessions terminals</code> records shells.
      </p>
    </EmptyState>
  );
}

interface KnownSession {
  command: ListedCommand | undefined;
  recording: ListedRecording | undefined;
}

/** Recordings are kept for longer than commands. */
async function loadSession(api: Api, key: string, signal: AbortSignal): Promise<KnownSession> {
  const missing = (error: unknown): undefined => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  };
  const [command, { recordings }] = await Promise.all([
    api.get<ListedCommand>(`/api/commands/${encodeURIComponent(key)}`, signal).catch(missing),
    api.get<{ recordings: ListedRecording[] }>('/api/recordings', signal),
  ]);
  return { command, recording: recordings.find((one) => one.key === key) };
}

function WatchedSession({ command, onEnd }: { command: ListedCommand; onEnd: () => void }) {
  const { session } = useApp();
  if (command.sentBy === session.user.value?.name) {
    return (
      <>
        <div class="heading">
          <h1>Session</h1>
          <Badge tone="good">Open</Badge>
        </div>
        <EmptyState title="This is your own session">
          <p>It is open in the terminal that has begun it. Someone else can watch it here.</p>
        </EmptyState>
      </>
    );
  }
  return <LiveSession command={command} onEnd={onEnd} />;
}

function LiveSession({ command: { key }, onEnd }: { command: ListedCommand; onEnd: () => void }) {
  const { api } = useApp();
  const { element, screen, error } = useScreen({ label: 'The session of someone else' });
  const watched = useRef<ConnectedSession>(undefined);
  const [state, setState] = useState<'opening' | 'open' | SessionEnd>('opening');
  const [isEnding, setEnding] = useState(false);
  useEffect(() => {
    if (!screen) return undefined;
    const connected = connectSession({
      socket: api.socket(`/api/commands/${encodeURIComponent(key)}/watch`),
      screen,
      onOpen: () => setState('open'),
      onNotice: () => undefined,
      onEnd: setState,
    });
    watched.current = connected;
    return () => connected.close();
  }, [screen]);
  const end = typeof state === 'string' ? undefined : state;
  return (
    <>
      <div class="heading">
        <h1>Session</h1>
        <span role="status">
          {state === 'opening' && <Badge tone="quiet">Opens…</Badge>}
          {state === 'open' && <Badge tone="good">You watch it</Badge>}
          {end && <Badge tone="warning">{end.problem ?? 'The session has ended.'}</Badge>}
        </span>
        <div class="buttons">
          {state === 'open' && (
            <button type="button" class="danger" onClick={() => setEnding(true)}>
              End the session
            </button>
          )}
          {end && (
            <button type="button" onClick={onEnd}>
              Show the recording
            </button>
          )}
        </div>
      </div>
      {error && <ErrorMessage error={error} />}
      <div ref={element} class="screen" role="region" aria-label="The session of someone else" />
      {isEnding && (
        <Confirm
          title="End the session?"
          action="End the session"
          isDangerous
          onConfirm={() => {
            watched.current?.terminate();
            return Promise.resolve();
          }}
          onClose={() => setEnding(false)}
        >
          <p>The program reads the end of its input. Your name is in the audit log.</p>
        </Confirm>
      )}
    </>
  );
}
