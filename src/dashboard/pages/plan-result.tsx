import { useState } from 'preact/hooks';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import { sendCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';
import { DifferenceList } from './difference-list.tsx';
import { wholeId } from './waiting-plans.ts';

/** A plan: what it would change, and the button that does it. */
export function PlanResult({ agentId, plan }: { agentId: string; plan: CommandAnswers['plan_release'] }) {
  const { api, location, now } = useApp();
  const [isAsking, setAsking] = useState(false);
  const { plan: id, expires, action, revision, differences, crdDifferences, hookDifferences, unchanged } = plan;
  const isExpired = Date.parse(expires) < now.value;
  const apply = async () => {
    const command = await sendCommand(api, agentId, 'apply_plan', { plan: wholeId(plan) });
    location.go(hrefOf('command', { command }));
  };
  return (
    <section>
      <div class="heading">
        <h2>Plan</h2>
        {!isExpired && (
          <div class="buttons">
            <button type="button" class="primary" onClick={() => setAsking(true)}>
              Approve and apply
            </button>
          </div>
        )}
      </div>
      <Facts
        of={[
          ['Operation', foreignName(action)],
          ['Revision', revision],
          [
            'Plan',
            <a key="plan" href={hrefOf('plan', { agent: agentId, plan: wholeId(plan) })}>
              <Name>{id}</Name>
            </a>,
            'long',
          ],
          ['Digest', <Name key="digest">{plan.digest}</Name>, 'long'],
          ['Expires', <Time key="expires" at={expires} />],
        ]}
      />
      <DifferenceList differences={[...(crdDifferences ?? []), ...differences]} unchanged={unchanged} />
      {hookDifferences && hookDifferences.length > 0 && (
        <>
          <h2>Hooks</h2>
          <DifferenceList differences={hookDifferences} />
        </>
      )}
      {isAsking && (
        <Confirm title="Apply the plan?" action="Apply the plan" onConfirm={apply} onClose={() => setAsking(false)}>
          <p>
            The agent performs exactly what the plan says. If the release or its objects have changed since, it changes
            nothing and says so.
          </p>
        </Confirm>
      )}
    </section>
  );
}
