import { commandTypes } from '../protocol/commands/index.ts';
import { errorCodeNames } from '../protocol/error-codes.ts';
import type { MetricTable, Recorder } from './metric-table.ts';
import { processMetrics } from './process-metrics.ts';

const steps = [
  ...['queue', 'load', 'crds', 'capabilities', 'render', 'check', 'namespace', 'record', 'pre-hooks', 'apply'],
  ...['wait', 'post-hooks', 'delete', 'test', 'watch', 'finish', 'rollback', 'uninstall'],
] as const;

/** HTTP status codes that are counted one by one. */
const httpStatuses = [
  ...['200', '201', '202', '304', '400', '401', '403', '404', '405', '409', '410', '413', '415', '422', '429'],
  ...['500', '502', '503', '504'],
] as const;

/** Types of commands that are counted one by one, and all others. */
const commandLabels = [...commandTypes, 'other'] as const;

export type CommandLabel = (typeof commandLabels)[number];

/** Outcomes of commands. A parked command is continued by another process. */
const commandResults = ['success', 'failure', 'cancelled', 'parked'] as const;

/** The metrics of an agent. docs/metrics.md has the same list. */
export const agentMetrics = {
  helm_agent_build_info: {
    kind: 'gauge',
    help: 'Version of the agent, as a label of the value 1.',
    labels: { version: 'fixed' },
  },
  helm_agent_connected: { kind: 'gauge', help: 'Whether the control plane is connected: 1 or 0.' },
  helm_agent_connections_total: {
    kind: 'counter',
    help: 'Attempts to connect to a control plane.',
    labels: { result: ['success', 'failure'] },
  },
  helm_agent_leader: {
    kind: 'gauge',
    help: 'Whether this process works: 1, or 0 while it waits to lead.',
  },
  helm_agent_cluster_reachable: { kind: 'gauge', help: 'Whether the API server has responded last: 1 or 0.' },
  helm_agent_journal_writable: { kind: 'gauge', help: 'Whether the last write to the journal was stored: 1 or 0.' },
  helm_agent_journal_writes_total: {
    kind: 'counter',
    help: 'Writes to the journal: accepted commands, states and results.',
    labels: { result: ['success', 'failure'] },
  },
  helm_agent_commands_total: {
    kind: 'counter',
    help: 'Commands that have ended.',
    labels: { type: commandLabels, result: commandResults },
  },
  helm_agent_commands_running: { kind: 'gauge', help: 'Commands that run.' },
  helm_agent_commands_waiting: { kind: 'gauge', help: 'Commands that wait for others before they run.' },
  helm_agent_command_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the acceptance of a command to its result.',
    labels: { type: commandLabels },
  },
  helm_agent_queue_wait_seconds: {
    kind: 'histogram',
    help: 'Time for which commands that change a release waited for others.',
  },
  helm_agent_step_duration_seconds: {
    kind: 'histogram',
    help: 'Time of a step of an operation.',
    labels: { step: steps },
  },
  helm_agent_failures_total: {
    kind: 'counter',
    help: 'Commands that have failed, by the code of the error.',
    labels: { code: errorCodeNames },
  },
  rest_client_requests_total: {
    kind: 'counter',
    help: 'Requests to the API server. Code is the HTTP status, <error> if there was no response, or other.',
    labels: { method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], code: [...httpStatuses, '<error>', 'other'] },
  },
  ...processMetrics,
} as const satisfies MetricTable;

/** Takes the measurements of an agent. */
export type AgentRecorder = Recorder<typeof agentMetrics>;

/** The outcome of a command. */
export type CommandResult = (typeof commandResults)[number];

type HttpStatusLabel = (typeof httpStatuses)[number] | '<error>' | 'other';

/** Returns the label of a response; undefined means that there was none. */
function httpStatusLabel(status: number | undefined): HttpStatusLabel {
  if (status === undefined) return '<error>';
  return httpStatuses.find((known) => known === String(status)) ?? 'other';
}

/** Returns a function that counts requests to the API server, for `ClusterTuning`. */
export function requestCounter(recorder: AgentRecorder) {
  return (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', status: number | undefined): void => {
    recorder.count('rest_client_requests_total', { method, code: httpStatusLabel(status) });
  };
}
