import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import type { PlanGroup, Rollout } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { DifferenceList } from './difference-list.tsx';

/** The plans of a rollout by what they change, and their approvals. */
export function RolloutPlans({ rollout }: { rollout: Rollout }) {
  const { api } = useApp();
  const path = `/api/rollouts/${encodeURIComponent(rollout.id)}`;
  // the groups are large, so they are read again only if one was added, or approved, or is empty
  const state = JSON.stringify([rollout.groupCount, rollout.groups?.map(({ id, approvedBy }) => [id, approvedBy])]);
  const plans = useLoaded((signal) => api.get<{ groups: PlanGroup[] }>(`${path}/plans`, signal), [path]);
  const loaded = useRef(state);
  useEffect(() => {
    if (loaded.current !== state) plans.reload();
    loaded.current = state;
  }, [state]);
  const [asked, setAsked] = useState<readonly string[]>();
  const clusters = new Map(rollout.groups?.map((group) => [group.id, group.clusters]));
  const approve = async () => {
    await api.send('POST', `${path}/approve`, { groups: asked });
  };
  return (
    <section>
      <LoadedView of={plans}>
        {({ groups }) => {
          const waiting = groups.filter(({ approvedBy }) => approvedBy === undefined).map(({ id }) => id);
          return (
            <>
              <div class="heading">
                <h2>Plans</h2>
                {waiting.length > 1 && (
                  <div class="buttons">
                    <button type="button" onClick={() => setAsked(waiting)}>
                      Approve all {waiting.length}
                    </button>
                  </div>
                )}
              </div>
              {groups.length === 0 ? (
                <EmptyState title="No cluster has made a plan yet">
                  <p>Clusters that would change the same are one group here, which needs one approval.</p>
                </EmptyState>
              ) : (
                <ul class="rows" aria-label="Plans">
                  {groups.map((group) => (
                    <Group
                      key={group.id}
                      group={{ ...group, clusters: clusters.get(group.id) ?? group.clusters }}
                      onApprove={() => setAsked([group.id])}
                    />
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </LoadedView>
      {asked && (
        <Confirm
          title={asked.length === 1 ? 'Approve the plan?' : `Approve ${asked.length} plans?`}
          action="Approve"
          onConfirm={approve}
          onClose={() => setAsked(undefined)}
        >
          <p>
            When it is their turn, the clusters perform exactly what is shown. One whose release or objects have changed
            since stays as it is.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Group({ group, onApprove }: { group: PlanGroup; onApprove: () => void }) {
  const { id, clusters, action, chart, counts, approvedBy, agentId, plan, changes } = group;
  const summary = Object.entries(counts).map(([change, count]) => `${count} ${foreignName(change)}`);
  return (
    <li>
      <span class="row-state">
        {approvedBy === undefined ? <Badge tone="warning">Waits</Badge> : <Badge tone="good">Approved</Badge>}
      </span>
      <div class="row-main">
        <div class="heading">
          <span class="row-title">
            {clusters === 1 ? <Name>{agentId}</Name> : `${clusters} clusters`}{' '}
            <span class="muted">
              {foreignName(action)}
              {chart !== undefined && (
                <>
                  {' '}
                  with <Name>{chart}</Name>
                </>
              )}
              : {summary.length === 0 ? 'no object changes' : `objects: ${summary.join(', ')}`}
              {approvedBy !== undefined && (
                <>
                  ; approved by <Name>{approvedBy}</Name>
                </>
              )}
            </span>
          </span>
          {approvedBy === undefined && (
            <div class="buttons">
              <button type="button" class="primary" onClick={onApprove}>
                Approve
              </button>
            </div>
          )}
        </div>
        <details open={approvedBy === undefined}>
          <summary>
            What changes <span class="muted">({id.slice(0, 12)})</span>
          </summary>
          {changes === undefined ? (
            <p>
              The differences are too long to be kept. To see them:{' '}
              <code>
                helm-agent ctl get-plan <Name>{plan}</Name> --agent <Name>{agentId}</Name>
              </code>
            </p>
          ) : (
            <>
              <DifferenceList differences={[...(changes.crdDifferences ?? []), ...changes.differences]} />
              {changes.hookDifferences && changes.hookDifferences.length > 0 && (
                <>
                  <h3>Hooks</h3>
                  <DifferenceList differences={changes.hookDifferences} />
                </>
              )}
            </>
          )}
        </details>
      </div>
    </li>
  );
}
