import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { ErrorMessage } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type PodTarget, TargetFields, usePodTarget } from '../parts/target-fields.tsx';
import { TextField } from '../parts/text-field.tsx';
import { sendCommand } from '../server/command.ts';
import {
  type ConnectedSession,
  connectSession,
  type SessionEnd,
  type SessionNotice,
} from '../terminal/connect-session.ts';
import { useScreen } from '../terminal/use-screen.ts';
import { foreignName } from '../text/foreign-text.ts';
import { PodsHeading } from './pods-heading.tsx';

/** A shell in a container. It begins when the user asks for it, and not when a link is followed. */
export function TerminalView({ agent: agentId }: { agent: string }) {
  const target = usePodTarget();
  const [session, setSession] = useState<{ target: PodTarget; reason: string }>();
  const [reason, setReason] = useState('');
  return (
    <>
      <PodsHeading title="Terminal" agentId={agentId} {...(target && { target })} />
      {session ? (
        <OwnSession agentId={agentId} {...session} onAgain={() => setSession(undefined)} />
      ) : (
        <form
          class="narrow fields-of-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (target) setSession({ target, reason: reason.trim() });
          }}
        >
          <TargetFields />
          <TextField
            name="reason"
            label="Reason, for the logs of the agent and the control plane"
            value={reason}
            placeholder="ticket 4711"
            maxLength={500}
            onInput={setReason}
          />
          <p class="muted">
            Opens a shell in a container that is ready. It needs the right “exec”, and may be recorded and watched.
          </p>
          <div class="buttons">
            <button type="submit" class="primary" disabled={!target}>
              Open the terminal
            </button>
          </div>
        </form>
      )}
    </>
  );
}

type State = { name: 'opening' } | { name: 'open' } | { name: 'waiting' } | { name: 'ended'; end: SessionEnd };

interface OwnSessionProps {
  agentId: string;
  target: PodTarget;
  reason: string;
  onAgain: () => void;
}

function OwnSession({ agentId, target, reason, onAgain }: OwnSessionProps) {
  const { api } = useApp();
  const session = useRef<ConnectedSession>(undefined);
  const {
    element,
    screen,
    error: loadError,
  } = useScreen({
    label: 'Terminal',
    onInput: (bytes) => session.current?.input(bytes),
    onSize: (size) => session.current?.resize(size),
  });
  const [state, setState] = useState<State>({ name: 'opening' });
  const [watchers, setWatchers] = useState<readonly string[]>([]);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (!screen) return undefined;
    let isGone = false;
    const onNotice = ({ state: change, user = '' }: SessionNotice) => {
      if (change === 'waiting') setState({ name: 'waiting' });
      if (change === 'joined') {
        setState({ name: 'open' });
        setWatchers((all) => [...all, user].slice(0, 100));
      }
      if (change === 'left') setWatchers((all) => all.filter((_, index) => index !== all.indexOf(user)));
    };
    const open = async () => {
      const key = await sendCommand(api, agentId, 'exec_pod', {
        ...target,
        ...{ stdin: true, tty: true, size: screen.size },
        ...(reason !== '' && { reason }),
      });
      if (isGone) return;
      session.current = connectSession({
        socket: api.socket(`/api/commands/${encodeURIComponent(key)}/stream`),
        screen,
        onOpen: () => {
          setState(({ name }) => ({ name: name === 'waiting' ? 'waiting' : 'open' }));
          session.current?.resize(screen.size);
          screen.focus();
        },
        onNotice,
        onEnd: (end) => setState({ name: 'ended', end }),
      });
    };
    open().catch((problem: unknown) => {
      if (!isGone) setError(problem instanceof Error ? problem : new Error(String(problem)));
    });
    return () => {
      isGone = true;
      session.current?.close();
    };
  }, [screen]);
  const problem = error ?? loadError;
  return (
    <>
      <div class="log-state">
        <span role="status">{!problem && <SessionState state={state} />}</span>
        {watchers.length > 0 && (
          <span class="muted">
            watched by <Name>{watchers.join(', ')}</Name>
          </span>
        )}
        {(state.name === 'ended' || problem) && (
          <button type="button" onClick={onAgain}>
            Open another one
          </button>
        )}
      </div>
      {problem && <ErrorMessage error={problem} />}
      <div ref={element} class="screen" role="region" aria-label="Terminal" hidden={problem !== undefined} />
    </>
  );
}

function SessionState({ state }: { state: State }) {
  if (state.name === 'opening') return <Badge tone="quiet">Opens…</Badge>;
  if (state.name === 'open') return <Badge tone="good">Open</Badge>;
  if (state.name === 'waiting') return <Badge tone="warning">Waits until a second person watches</Badge>;
  const { result, problem = 'The session has ended.' } = state.end;
  if (result?.ok === true) return <Badge tone="quiet">The program has ended</Badge>;
  const text = result ? `${result.error.code}: ${result.error.message}` : problem;
  return <Badge tone="warning">{foreignName(text, 500)}</Badge>;
}
