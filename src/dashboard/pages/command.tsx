import { useState } from 'preact/hooks';
import type { Failure } from '../../protocol/messages.ts';
import type { StepProgress } from '../../protocol/progress.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { ErrorMessage } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import { performCommand } from '../server/command.ts';
import type { ListedCommand } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { durationText } from '../text/time-text.ts';
import type { CommandView } from './command-events.ts';
import { commandOutcomes, commandTitle } from './command-list.tsx';
import { CommandResultView } from './command-result.tsx';
import { EvidenceView } from './evidence.tsx';
import { ResourceList } from './resource-list.tsx';
import { useCommandEvents } from './use-command-events.ts';

/** A command: its steps, its resources and why they are not ready, its logs and its result. */
export function CommandDetails({ command: key }: { command: string }) {
  const { api } = useApp();
  const about = useLoaded(
    (signal) => api.get<ListedCommand>(`/api/commands/${encodeURIComponent(key)}`, signal),
    [key],
  );
  return <LoadedView of={about}>{(command) => <LiveCommand command={command} />}</LoadedView>;
}

function LiveCommand({ command }: { command: ListedCommand }) {
  const { key, agentId, type, sentBy, namespace, releaseName, createdAt } = command;
  const { view, isConnected, error } = useCommandEvents(key);
  const [isCancelling, setCancelling] = useState(false);
  const { progress, evidence, logLines, result } = view;
  const resources = [...progress.resources.values()];
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('commands', {})}>Commands</a> /
      </div>
      <div class="heading">
        <h1>{commandTitle(foreignName(type))}</h1>
        <span role="status">
          <StateBadge view={view} isConnected={isConnected} command={command} />
        </span>
        {!result && (
          <div class="buttons">
            <button type="button" onClick={() => setCancelling(true)}>
              Cancel
            </button>
          </div>
        )}
      </div>
      <Facts
        of={[
          [
            'Agent',
            <a key="agent" href={hrefOf('agent', { agent: agentId })}>
              <Name>{agentId}</Name>
            </a>,
          ],
          ['Release', releaseName === undefined ? undefined : <ReleaseLink key="release" of={command} />],
          ['Namespace', namespace === undefined ? undefined : <Name key="namespace">{namespace}</Name>],
          ['Sent by', sentBy === undefined ? undefined : <Name key="sender">{sentBy}</Name>],
          ['Sent', <Time key="sent" at={createdAt} />],
          ['Key', <Name key="key">{key}</Name>, 'long'],
        ]}
      />
      {error && <ErrorMessage error={error} />}
      {result && !result.ok && <FailureView failure={result.error} />}
      {progress.steps.length > 0 && (
        <section>
          <h2>Steps</h2>
          <Steps steps={progress.steps} isEnded={result !== undefined} />
        </section>
      )}
      {resources.length > 0 && (
        <section>
          <h2>Resources</h2>
          <ResourceList resources={resources} />
        </section>
      )}
      {evidence && (
        <section>
          <h2>Evidence</h2>
          <EvidenceView evidence={evidence} />
        </section>
      )}
      {logLines.length > 0 && (
        <section>
          <h2>Logs</h2>
          <Code label="Logs" lines={logLines} />
        </section>
      )}
      {result?.ok === true && <CommandResultView command={command} result={result} />}
      {isCancelling && <CancelDialog agentId={agentId} commandKey={key} onClose={() => setCancelling(false)} />}
    </>
  );
}

function ReleaseLink({ of: { agentId, namespace, releaseName = '' } }: { of: ListedCommand }) {
  if (namespace === undefined) return <Name>{releaseName}</Name>;
  return (
    <a href={hrefOf('release', { agent: agentId, namespace, release: releaseName })}>
      <Name>{releaseName}</Name>
    </a>
  );
}

interface StateBadgeProps {
  view: CommandView;
  isConnected: boolean;
  command: ListedCommand;
}

function StateBadge({ view: { progress, result }, isConnected, command: { state } }: StateBadgeProps) {
  if (result) {
    const { tone, shown } = commandOutcomes[result.ok ? 'succeeded' : 'failed'];
    return <Badge tone={tone}>{shown}</Badge>;
  }
  if (!isConnected) return <Badge tone="warning">The control plane is not reachable</Badge>;
  if (!progress.agentConnected) return <Badge tone="warning">The agent is away</Badge>;
  if (progress.accepted) return <Badge tone="busy">Running</Badge>;
  return <Badge tone="quiet">{state === 'waiting' ? 'Waits for the agent' : 'Sent'}</Badge>;
}

const stepStates: Record<StepProgress['state'], { tone: Tone; shown: string }> = {
  running: { tone: 'busy', shown: 'Running' },
  done: { tone: 'good', shown: 'Done' },
  failed: { tone: 'bad', shown: 'Failed' },
  skipped: { tone: 'quiet', shown: 'Skipped' },
};

function Steps({ steps, isEnded }: { steps: readonly StepProgress[]; isEnded: boolean }) {
  const { now } = useApp();
  return (
    <ol class="rows" aria-label="Steps">
      {steps.map(({ name, state, started, changed, message }, index) => {
        const isRunning = state === 'running' && !isEnded;
        const milliseconds = (isRunning ? now.value : Date.parse(changed)) - Date.parse(started);
        return (
          <li key={index}>
            <span class="row-state">
              <Badge tone={stepStates[state].tone}>{stepStates[state].shown}</Badge>
            </span>
            <span class="row-main">
              <span class="row-title">{foreignName(name)}</span>
              {message !== undefined && <bdi class="reason">{foreignName(message, 1000)}</bdi>}
            </span>
            <span class="muted row-end">{durationText(milliseconds)}</span>
          </li>
        );
      })}
    </ol>
  );
}

function FailureView({ failure: { code, message, position, resources, fields } }: { failure: Failure }) {
  return (
    <section>
      <div class="problem">
        <Badge tone="bad">{foreignName(code)}</Badge>
        <p>
          <bdi>{foreignName(message, 4000)}</bdi>
        </p>
        {code === 'approval_required' && (
          <p>
            <a href={hrefOf('plans', {})}>Plans that wait for approval</a>
          </p>
        )}
        {position && (
          <p class="muted">{foreignName([position.file, position.line, position.column].filter(Boolean).join(':'))}</p>
        )}
        {fields?.map(({ kind, name, field, manager }, index) => (
          <p key={index} class="muted">
            {foreignName(`${kind}/${name}: ${field}${manager === undefined ? '' : `, set by ${manager}`}`, 500)}
          </p>
        ))}
      </div>
      {resources && resources.length > 0 && <ResourceList resources={resources} />}
    </section>
  );
}

function CancelDialog({ agentId, commandKey, onClose }: { agentId: string; commandKey: string; onClose: () => void }) {
  const { api } = useApp();
  const cancel = async () => {
    const signal = new AbortController().signal;
    await performCommand(api, { agentId, type: 'cancel_command', payload: { key: commandKey } }, signal);
  };
  return (
    <Confirm title="Cancel the command?" action="Cancel the command" isDangerous onConfirm={cancel} onClose={onClose}>
      <p>Its changes are undone if it is atomic. Otherwise, what it has changed stays.</p>
    </Confirm>
  );
}
