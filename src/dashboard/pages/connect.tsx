import { useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { ErrorMessage } from '../parts/message.tsx';
import { TextField } from '../parts/text-field.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import { foreignName } from '../text/foreign-text.ts';
import { AgentBadge } from './agent-badge.tsx';
import { agentStateOf } from './agent-filter.ts';
import { installCommand, parseLabels } from './install-command.ts';
import { useAgent } from './use-agents.ts';

/** The reply of the control plane to an invitation. */
interface Invited {
  readonly agentId: string;
  readonly token: string;
  readonly expiresAt: string;
  readonly replacesKey: boolean;
}

/** Invites an agent, shows the command that installs it, and waits until it is healthy. */
export function ConnectView() {
  const { api } = useApp();
  const [fields, setFields] = useState({ agentId: '', labels: '', url: defaultUrl(), chart: 'deploy/helm-agent' });
  const [needsConsent, setNeedsConsent] = useState(false);
  const [invited, setInvited] = useState<Invited>();
  const [error, setError] = useState<Error>();
  const invite = async () => {
    setError(undefined);
    try {
      const agentId = fields.agentId.trim();
      const body = { labels: parseLabels(fields.labels), needsConsent };
      setInvited(await api.send<Invited>('POST', `/api/agents/${encodeURIComponent(agentId)}/enrolment`, body));
    } catch (reason) {
      setError(asError(reason));
    }
  };
  const text = (name: keyof typeof fields, label: string, placeholder: string) => (
    <TextField
      {...{ name, label, placeholder, isRequired: name !== 'labels' }}
      value={fields[name]}
      onInput={(value) => setFields({ ...fields, [name]: value })}
    />
  );
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('agents', {})}>Agents</a> /
      </div>
      <div class="heading">
        <h1>Connect a cluster</h1>
      </div>
      {invited ? (
        <Waiting invited={invited} url={fields.url.trim()} chart={fields.chart.trim()} />
      ) : (
        <form
          class="narrow fields-of-form"
          onSubmit={(event) => {
            event.preventDefault();
            void invite();
          }}
        >
          {text('agentId', 'Name of the cluster', 'shop-berlin')}
          {text('labels', 'Labels', 'site=berlin, tier=gold')}
          {text('url', 'Address of this control plane, as the cluster reaches it', 'wss://deploy.example')}
          {text('chart', 'Chart of the agent', 'deploy/helm-agent')}
          <label class="choice">
            <input
              type="checkbox"
              name="needsConsent"
              checked={needsConsent}
              onChange={(event) => setNeedsConsent(event.currentTarget.checked)}
            />
            Someone has to accept it after it has connected
          </label>
          {error && <ErrorMessage error={error} />}
          <div class="buttons">
            <button type="submit" class="primary">
              Invite
            </button>
          </div>
        </form>
      )}
    </>
  );
}

function Waiting({ invited, url, chart }: { invited: Invited; url: string; chart: string }) {
  const { agentId, token, expiresAt, replacesKey } = invited;
  const agent = useAgent(agentId);
  const isHealthy = agent.value !== undefined && agentStateOf(agent.value) === 'connected';
  return (
    <div class="narrow">
      <p>
        Run this where <code>helm</code> reaches the cluster. The token in it works once, and ends{' '}
        <Time at={expiresAt} />.
      </p>
      <CopyText label="Command" text={installCommand({ agentId, url, token, chart, replacesKey })} />
      <p class="waiting" role="status">
        {isHealthy ? (
          <Badge tone="good">{foreignName(agentId)} is connected</Badge>
        ) : agent.value ? (
          <AgentBadge agent={agent.value} />
        ) : (
          <Badge tone="busy">Waits for the agent</Badge>
        )}
      </p>
      {agent.value?.enrolment?.problem !== undefined && (
        <p class="muted">{foreignName(agent.value.enrolment.problem, 500)}</p>
      )}
      <div class="buttons">
        <a class="button" href={hrefOf('agent', { agent: agentId })}>
          Show the agent
        </a>
      </div>
    </div>
  );
}

/** Returns the address of this page for agents. */
function defaultUrl(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`;
}
