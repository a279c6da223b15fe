import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import { performCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';
import { approvalCommands } from './approval-commands.ts';
import { PlanResult } from './plan-result.tsx';

type Plan = CommandAnswers['get_plan'];

/** A plan as its agent has it now: what it would change, its approvals, and how to approve it. */
export function PlanView({ agent: agentId, plan: id }: { agent: string; plan: string }) {
  const { api } = useApp();
  const plan = useLoaded(
    (signal) => performCommand(api, { agentId, type: 'get_plan', payload: { plan: id } }, signal),
    [agentId, id],
  );
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('plans', {})}>Plans</a> /
      </div>
      <div class="heading">
        <h1>
          <Name>{id.split('@')[0] ?? ''}</Name>{' '}
          <span class="muted">
            on{' '}
            <a href={hrefOf('agent', { agent: agentId })}>
              <Name>{agentId}</Name>
            </a>
          </span>
        </h1>
        <div class="buttons">
          <button type="button" onClick={plan.reload}>
            Look again
          </button>
        </div>
      </div>
      <LoadedView of={plan}>
        {(known) => (
          <>
            <Approvals plan={known} />
            <HowToApprove agentId={agentId} plan={known} />
            <PlanResult agentId={agentId} plan={known} />
          </>
        )}
      </LoadedView>
    </>
  );
}

function Approvals({ plan: { approvals, annotated } }: { plan: Plan }) {
  return (
    <section>
      <h2>Approvals</h2>
      {approvals.length === 0 && annotated !== true ? (
        <EmptyState title="No one has approved the plan yet">
          <p>The policy of the cluster&apos;s owner says how many approvals it needs, and whose.</p>
        </EmptyState>
      ) : (
        <ul class="rows" aria-label="Approvals">
          {approvals.map(({ by, expires, problem }, index) => (
            <li key={index}>
              <span class="row-state">
                <Badge tone={problem === undefined ? 'good' : 'bad'}>
                  {problem === undefined ? 'Counts' : 'Does not count'}
                </Badge>
              </span>
              <span class="row-main">
                <span class="row-title">
                  <Name>{by.length === 0 ? 'unknown' : by.join(', ')}</Name>
                </span>
                {problem !== undefined && <bdi class="reason">{foreignName(problem, 1000)}</bdi>}
              </span>
              {expires !== undefined && (
                <span class="row-end muted">
                  ends <Time at={expires} />
                </span>
              )}
            </li>
          ))}
          {annotated === true && (
            <li>
              <span class="row-state">
                <Badge tone="good">Counts</Badge>
              </span>
              <span class="row-main">
                <span class="row-title">the annotation of its Secret, if the policy allows that</span>
              </span>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function HowToApprove({ agentId, plan }: { agentId: string; plan: Plan }) {
  const { ctl, kubectl } = approvalCommands(agentId, plan);
  return (
    <section>
      <h2>Approve it</h2>
      {ctl === undefined ? (
        <p>What the agent says about the plan is not valid, so there is no command to approve it.</p>
      ) : (
        <>
          <p>
            An approval is a signature over the digest of the plan. This page has no keys: sign with a key that the
            policy names. The command shows the plan again; with <code class="flag">--agent-key</code>, it requires that
            the agent has signed it.
          </p>
          <CopyText label="Command that signs" text={ctl} />
        </>
      )}
      {kubectl !== undefined && (
        <>
          <p>Or in the cluster, if the policy allows the annotation:</p>
          <CopyText label="Command for the cluster" text={kubectl} />
        </>
      )}
    </section>
  );
}
