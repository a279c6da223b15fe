import { Name } from '../parts/name.tsx';
import type { PodTarget } from '../parts/target-fields.tsx';
import { hrefOf } from '../route/route.ts';

/** The heading of a page about pods of an agent, and the way back. */
export function PodsHeading({ title, agentId, target }: { title: string; agentId: string; target?: PodTarget }) {
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('agents', {})}>Agents</a> /
        <a href={hrefOf('agent', { agent: agentId })}>
          <Name>{agentId}</Name>
        </a>
        /
      </div>
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
