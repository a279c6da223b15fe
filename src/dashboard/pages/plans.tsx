import { useApp } from '../parts/app-context.ts';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { CommandPage } from '../server/types.ts';
import { CommandTable } from './command-list.tsx';

/** Pause between two looks. */
const refreshMs = 5000;

const maxCommands = 500;

/** Returns commands about plans, without those of rollouts, which have pages of their own. */
function singlePlans(page: CommandPage | undefined): CommandPage['commands'] {
  return (page?.commands ?? []).filter(({ key }) => !key.startsWith('rollout/'));
}

/** The plans that were made, and the commands that have performed some. */
export function PlansView() {
  const { api } = useApp();
  const pages = useLoaded(
    async (signal) => {
      const [plans, applied] = await Promise.all(
        ['plan_release', 'apply_plan'].map((type) =>
          api.get<CommandPage>(`/api/commands?type=${type}&limit=${maxCommands}`, signal),
        ),
      );
      return { plans: singlePlans(plans), applied: singlePlans(applied) };
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
        {({ plans, applied }) => (
          <>
            {plans.length === 0 ? (
              <EmptyState title="No plan waits for you">
                <p>
                  A plan says what an upgrade would change, before it does. Make one with{' '}
                  <code>helm-agent ctl plan upgrade RELEASE CHART --agent AGENT</code>, and approve it here.
                </p>
                <p>
                  Plans of <a href={hrefOf('rollouts', {})}>rollouts</a> are on their own pages.
                </p>
              </EmptyState>
            ) : (
              <CommandTable label="Plans" commands={plans} />
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
