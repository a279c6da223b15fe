import { AgentCrumbs } from '../parts/agent-crumbs.tsx';
import { Name } from '../parts/name.tsx';
import type { PodTarget } from '../parts/target-fields.tsx';

/** The heading of a page about pods of an agent, and the way back. */
export function PodsHeading({ title, agentId, target }: { title: string; agentId: string; target?: PodTarget }) {
  return (
    <>
      <AgentCrumbs agentId={agentId} />
      <div class="heading">
        <h1>{title}</h1>
        {target && (
          <span class="muted">
            <Name>{`${target.namespace}/${target.name ?? target.releaseName ?? ''}`}</Name>
          </span>
        )}
      </div>
    </>
  );
}
