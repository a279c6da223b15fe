import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { EmptyState, ErrorMessage } from '../parts/message.tsx';
import { type PodTarget, TargetFields, usePodTarget } from '../parts/target-fields.tsx';
import { foreignName } from '../text/foreign-text.ts';
import { PodsHeading } from './pods-heading.tsx';
import { type FollowedLog, type LogLine, useLogs } from './use-logs.ts';

/** The logs of a pod, a workload or a release, followed. */
export function LogsView({ agent: agentId }: { agent: string }) {
  const target = usePodTarget();
  return (
    <>
      <PodsHeading title="Logs" agentId={agentId} {...(target && { target })} />
      <details open={!target}>
        <summary>{target ? 'Other pods' : 'Which pods'}</summary>
        <TargetFields />
      </details>
      {target ? (
        <FollowedLogs key={JSON.stringify(target)} agentId={agentId} target={target} />
      ) : (
        <EmptyState title="Name a release, a pod or a workload">
          <p>The logs of all its pods are followed, also of those that start later. You need the right “logs”.</p>
        </EmptyState>
      )}
    </>
  );
}

function FollowedLogs({ agentId, target }: { agentId: string; target: PodTarget }) {
  const { location } = useApp();
  const { q = '', previous, all } = location.place.value.query;
  const [isPaused, setPaused] = useState(false);
  const options = {
    ...target,
    ...(previous === 'true' ? { previous: true } : { follow: true }),
    ...(all === 'true' && { container: undefined, allContainers: true }),
    tail: 500,
  };
  const { lines, state, isConnected, error } = useLogs(agentId, options);
  // the lines that were shown when the user paused
  const frozen = useRef<readonly LogLine[]>(lines);
  if (!isPaused) frozen.current = lines;
  const kept = frozen.current;
  const newer = isPaused ? (lines.at(-1)?.number ?? 0) - (kept.at(-1)?.number ?? 0) : 0;
  const word = q.toLowerCase();
  const shown = word === '' ? kept : kept.filter(({ text }) => text.toLowerCase().includes(word));
  return (
    <>
      <Filters>
        <SearchBox label="Show lines with" />
        <Choice name="previous" label="Run" none="present" options={[['true', 'before the last restart']]} />
        <Choice name="all" label="Containers" none="one" options={[['true', 'all']]} />
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue' : 'Pause'}
        </button>
      </Filters>
      <p class="log-state" role="status">
        <LogState state={state} isConnected={isConnected} isPaused={isPaused} newer={newer} />
        <span class="muted">
          {shown.length === kept.length ? `${kept.length} lines` : `${shown.length} of ${kept.length} lines`}
        </span>
      </p>
      {error && <ErrorMessage error={error} />}
      {(!error || kept.length > 0) && <LogLines lines={shown} isFollowed={!isPaused} />}
    </>
  );
}

interface LogStateProps {
  state: FollowedLog['state'];
  isConnected: boolean;
  isPaused: boolean;
  newer: number;
}

function LogState({ state, isConnected, isPaused, newer }: LogStateProps) {
  if (isPaused) return <Badge tone="warning">{newer > 0 ? `Paused, ${newer} newer` : 'Paused'}</Badge>;
  if (state === 'failed') return <Badge tone="bad">Not followed</Badge>;
  if (state === 'ended') return <Badge tone="quiet">The log has ended</Badge>;
  if (!isConnected) return <Badge tone="warning">Not connected</Badge>;
  return <Badge tone="good">Following</Badge>;
}

/** The distance from the end, in pixels, at which the view stays at the end. */
const nearEnd = 40;

function LogLines({ lines, isFollowed }: { lines: readonly LogLine[]; isFollowed: boolean }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const hasSources = new Set(lines.map(({ source }) => source)).size > 1;
  useEffect(() => {
    if (isFollowed && isAtEnd.current) element.current?.scrollTo(0, element.current.scrollHeight);
  }, [lines, isFollowed]);
  return (
    <div
      ref={element}
      class="code log"
      role="log"
      aria-live="off"
      aria-label="Lines of the log"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
    >
      {lines.map(({ number, source, text }) => (
        <div key={number} class={source === undefined ? 'muted' : undefined}>
          {hasSources && source !== undefined && <span class="muted">{foreignName(source)} </span>}
          {text || ' '}
        </div>
      ))}
    </div>
  );
}
