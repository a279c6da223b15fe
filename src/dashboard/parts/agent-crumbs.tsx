import type { ComponentChildren } from 'preact';
import { hrefOf } from '../route/route.ts';
import { Name } from './name.tsx';

/** The way back to the page of an agent, and what is below it. */
export function AgentCrumbs({ agentId, children }: { agentId: string; children?: ComponentChildren }) {
  return (
    <div class="crumbs">
      <a href={hrefOf('agents', {})}>Agents</a> /
      <a href={hrefOf('agent', { agent: agentId })}>
        <Name>{agentId}</Name>
      </a>
      / {children}
    </div>
  );
}
