import type { ControlPlaneRecorder } from '../metrics/control-plane-metrics.ts';
import type { ControlPlaneParts } from './control-plane-parts.ts';

/** Sets the gauges of a control plane. */
export function setGauges(
  recorder: ControlPlaneRecorder,
  { agents, commands, knownAgents }: Pick<ControlPlaneParts, 'agents' | 'commands' | 'knownAgents'>,
): void {
  const connected = agents.list().length;
  const open = Map.groupBy(commands.allOpen(), ({ state }) => state);
  recorder.set('helm_agent_hub_agents', { state: 'connected' }, connected);
  recorder.set('helm_agent_hub_agents', { state: 'disconnected' }, knownAgents().length - connected);
  for (const state of ['waiting', 'sent', 'accepted'] as const) {
    recorder.set('helm_agent_hub_commands_open', { state }, open.get(state)?.length ?? 0);
  }
  recorder.set('helm_agent_hub_store_available', {}, Number(commands.isAvailable));
}
