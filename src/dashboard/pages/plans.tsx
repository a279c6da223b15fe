import type { CommandResult } from '../../protocol/messages.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { CommandPage, ListedCommand, Rollout } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { CommandTable } from './command-list.tsx';
import { useResults } from './use-results.ts';
import { type EndedCommand, waitingAlone, waitingInRollouts, type WaitingPlan } from './waiting-plans.ts';

/** Pause between two looks. */
const refreshMs = 5000;

const maxCommands = 500;

/** The most commands of each kind whose results are looked at. */
const maxResults = 50;

/** Returns commands about plans, without those of rollouts, which have pages of their own. */
function singlePlans(page: CommandPage | undefined): CommandPage['commands'] {
  return (page?.commands ?? []).filter(({ key }) => !key.startsWith('rollout/'));
}

/** The plans that were made, those that wait for approvals first, and what was performed. */
export function PlansView() {
  const { api, now } = useApp();
  const resultOf = useResults();
  /** Returns the newest commands that have ended, with their results. */
  const withResults = async <Type extends 'plan_release' | 'apply_plan'>(
    commands: readonly ListedCommand[],
    signal: AbortSignal,
  ): Promise<EndedCommand<Type>[]> => {
    const ended = commands.filter(({ state }) => state === 'done').slice(0, maxResults);
    return await Promise.all(
      ended.map(async (command) => {
        const result = await resultOf(command.key, signal);
        return { command, result: result as CommandResult<Type> | undefined }; // the control plane has validated it
      }),
    );
  };
  const pages = useLoaded(
    async (signal) => {
      const list = (type: string) =>
        api.get<CommandPage>(`/api/commands?type=${type}&limit=${maxCommands}`, signal).then(singlePlans);
      const [plans, applied, { rollouts }] = await Promise.all([
        ...([list('plan_release'), list('apply_plan')] as const),
        api.get<{ rollouts: Rollout[] }>('/api/rollouts', signal),
      ]);
      const ended = await withResults<'apply_plan'>(applied, signal);
      const isRefused = ({ result }: EndedCommand<'apply_plan'>) =>
        result?.ok === false && result.error.code === 'approval_required';
      const made = ended.some(isRefused) ? await withResults<'plan_release'>(plans, signal) : [];
      const waiting = [...waitingInRollouts(rollouts), ...waitingAlone(made, ended, now.peek())];
      return { plans, applied, waiting };
    },
    [],
    { everyMs: refreshMs },
  );
  return (
    <>
      <div class="heading">
        <h1>Plans</h1>
      </div>
      <LoadedView of={pages}>
        {({ plans, applied, waiting }) => (
          <>
            {waiting.length > 0 && <WaitingPlans plans={waiting} />}
            {plans.length === 0 && waiting.length === 0 && (
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
        )}
      </LoadedView>
    </>
  );
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
