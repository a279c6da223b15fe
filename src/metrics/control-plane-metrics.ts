import { commandTypes } from '../protocol/commands/index.ts';
import type { MetricTable, Recorder } from './metric-table.ts';
import { processMetrics } from './process-metrics.ts';

/** The metrics of a control plane. docs/metrics.md has the same list. */
export const controlPlaneMetrics = {
  helm_agent_hub_build_info: {
    kind: 'gauge',
    help: 'Version of the control plane, as a label of the value 1.',
    labels: { version: 'fixed' },
  },
  helm_agent_hub_agents: {
    kind: 'gauge',
    help: 'Agents that are connected, and those that are known and are not.',
    labels: { state: ['connected', 'disconnected'] },
  },
  helm_agent_hub_connections_total: { kind: 'counter', help: 'Connections of agents that were accepted.' },
  helm_agent_hub_commands_total: {
    kind: 'counter',
    help: 'Commands whose result is stored. Type is other if only the agent knows it.',
    labels: { type: [...commandTypes, 'other'], result: ['success', 'failure'] },
  },
  helm_agent_hub_commands_open: {
    kind: 'gauge',
    help: 'Commands without a result: those that wait for their agent, were sent to it, and were accepted by it.',
    labels: { state: ['waiting', 'sent', 'accepted'] },
  },
  helm_agent_hub_command_delivery_seconds: {
    kind: 'histogram',
    help: 'Time from the arrival of a command to its acceptance by the agent.',
  },
  helm_agent_hub_store_available: {
    kind: 'gauge',
    help: 'Whether commands and results can be stored: 1 or 0.',
  },
  ...processMetrics,
} as const satisfies MetricTable;

/** Takes the measurements of a control plane. */
export type ControlPlaneRecorder = Recorder<typeof controlPlaneMetrics>;
