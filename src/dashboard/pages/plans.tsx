import type { CommandResult } from '../../protocol/messages.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState, ErrorMessage } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { type Loaded, useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { ListedCommand } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { CommandTable } from './command-list.tsx';
import { useCommandPage, useRollouts } from './use-lists.ts';
import { useResults } from './use-results.ts';
import { type EndedCommand, waitingAlone, waitingInRollouts, type WaitingPlan } from './waiting-plans.ts';

/** The most commands of each kind whose results are looked at. */
const maxResults = 50;

/** The plans that were made, those that wait for approvals first, and what was performed. */
export function PlansView() {
  // those of rollouts have pages of their own
  const plans = useCommandPage({ type: 'plan_release', rollouts: 'false', limit: '200' });
  const applied = useCommandPage({ type: 'apply_plan', rollouts: 'false', limit: '200' });
  return (
    <>
      <div class="heading">
        <h1>Plans</h1>
      </div>
      <LoadedView of={plans}>
        {({ commands }) => (
          <LoadedView of={applied}>{(page) => <PlanLists plans={commands} applied={page.commands} />}</LoadedView>
        )}
      </LoadedView>
    </>
  );
}

interface PlanCommands {
  plans: readonly ListedCommand[];
  applied: readonly ListedCommand[];
}

function PlanLists({ plans, applied }: PlanCommands) {
  const rollouts = useRollouts();
  const alone = useWaitingAlone({ plans, applied });
  const waiting = [...waitingInRollouts(rollouts.value ?? []), ...(alone.value ?? [])];
  const isLoaded = rollouts.value !== undefined && alone.value !== undefined;
  const error = rollouts.error ?? alone.error;
  return (
    <>
      {error && <ErrorMessage error={error} />}
      {waiting.length > 0 && <WaitingPlans plans={waiting} />}
      {plans.length === 0 && waiting.length === 0 && isLoaded && (
        <EmptyState title="No plan waits for you">
          <p>
            A plan says what an upgrade would change, before it does. Make one with{' '}
            <code>helm-agent ctl plan upgrade RELEASE CHART --agent AGENT</code>, and approve it here.
          </p>
          <p>
            Plans of <a href={hrefOf('rollouts', {})}>rollouts</a> are on their own pages.
          </p>
        </EmptyState>
      )}
      {plans.length > 0 && (
        <section>
          <h2>Made</h2>
          <CommandTable label="Plans" commands={plans} />
        </section>
      )}
      {applied.length > 0 && (
        <section>
          <h2>Applied</h2>
          <CommandTable label="Plans that were applied" commands={applied} />
        </section>
      )}
    </>
  );
}

/** Returns the plans without a rollout that wait, again when a command has ended. */
function useWaitingAlone({ plans, applied }: PlanCommands): Loaded<readonly WaitingPlan[]> {
  const { now } = useApp();
  const resultOf = useResults();
  const endedPlans = endedFirst(plans);
  const endedApplied = endedFirst(applied);
  const withResults = async <Type extends 'plan_release' | 'apply_plan'>(
    commands: readonly ListedCommand[],
    signal: AbortSignal,
  ): Promise<EndedCommand<Type>[]> => {
    const load = async (command: ListedCommand) => {
      const result = await resultOf(command.key, signal);
      return { command, result: result as CommandResult<Type> | undefined }; // the control plane has validated it
    };
    return await Promise.all(commands.map(load));
  };
  return useLoaded(
    async (signal) => {
      const ended = await withResults<'apply_plan'>(endedApplied, signal);
      const isRefused = ({ result }: EndedCommand<'apply_plan'>) =>
        result?.ok === false && result.error.code === 'approval_required';
      if (!ended.some(isRefused)) return [];
      return waitingAlone(await withResults<'plan_release'>(endedPlans, signal), ended, now.peek());
    },
    [[...endedPlans, ...endedApplied].map(({ key }) => key).join('\n')],
    { keepsValue: true },
  );
}

/** Returns the newest commands that have ended. */
function endedFirst(commands: readonly ListedCommand[]): ListedCommand[] {
  return commands.filter(({ state }) => state === 'done').slice(0, maxResults);
}

function WaitingPlans({ plans }: { plans: readonly WaitingPlan[] }) {
  return (
    <section>
      <h2>Waiting for approval</h2>
      <ul class="rows" aria-label="Plans that wait for approval">
        {plans.map(({ agentId, plan, reason, since, rolloutId }) => (
          <li key={`${agentId} ${plan}`}>
            <span class="row-state">
              <Badge tone="warning">Waits</Badge>
            </span>
            <span class="row-main">
              <span class="row-title">
                <a href={hrefOf('plan', { agent: agentId, plan })} data-row>
                  <Name>{plan.split('@')[0] ?? ''}</Name>
                </a>{' '}
                <span class="muted">
                  on <Name>{agentId}</Name>
                  {rolloutId !== undefined && (
                    <>
                      , in the rollout{' '}
                      <a href={hrefOf('rollout', { rollout: rolloutId })}>
                        <Name>{rolloutId}</Name>
                      </a>
                    </>
                  )}
                </span>
              </span>
              <bdi class="reason">{foreignName(reason, 500)}</bdi>
            </span>
            <span class="row-end muted">
              <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
