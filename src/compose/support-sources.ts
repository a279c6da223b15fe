import { readFile } from 'node:fs/promises';
import { arch, availableParallelism, platform, uptime } from 'node:os';
import type { Agent } from '../agent/agent.ts';
import type { RecentCommands } from '../agent/support/recent-commands.ts';
import type { RecentLines } from '../agent/support/recent-lines.ts';
import type { SupportSource } from '../agent/support/support-bundle.ts';
import type { MetricsText } from '../net/health-server.ts';
import type { Cluster } from '../objects/cluster.ts';
import { fieldAt, listAt, objectAt, objectsAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { rightsIn } from '../operation/objects/cluster-info.ts';
import { answeredEvents, newestEvents } from '../operation/objects/newest-events.ts';
import type { Right } from '../protocol/commands/definition.ts';
import { version } from './version.ts';

export interface SupportSourcesOptions {
  agentId: string;
  /** The cluster with the rights of the agent. */
  cluster: Cluster;
  /** The namespace of the agent. */
  namespace: string;
  /** Its settings, as they were given. */
  settings: Readonly<Record<string, unknown>>;
  allowedRights: readonly Right[];
  rightsFile: string | undefined;
  commands: RecentCommands;
  /** Undefined: log lines are not kept. */
  lines: RecentLines | undefined;
  /** Undefined: there are none, because there is no health port. */
  metrics: MetricsText | undefined;
  /** Returns the agent that works. Undefined before its start. */
  agent: () => Agent | undefined;
}

const maxPods = 100;
const maxEvents = 300;

/** Returns the sources of a support bundle. */
export function supportSources(options: SupportSourcesOptions): SupportSource[] {
  const { agentId, cluster, namespace, settings, allowedRights, rightsFile, commands, lines, metrics, agent } = options;
  return [
    {
      name: 'versions.json',
      about: 'versions of the agent and of Node, the machine, and memory in bytes',
      read: () => ({
        ...{ agentId, version, node: process.version, platform: `${platform()} ${arch()}` },
        ...{ processors: availableParallelism(), namespace, memory: process.memoryUsage() },
        uptimeSeconds: { process: Math.round(process.uptime()), machine: Math.round(uptime()) },
      }),
    },
    {
      name: 'settings.json',
      about: 'flags of the agent',
      read: () => JSON.parse(JSON.stringify(settings, withoutUserinfo)) as unknown,
    },
    {
      name: 'rights.json',
      about: 'rights of commands that the agent allows, and its rules for accounts',
      read: async () => ({
        allowedRights,
        rightsFile: rightsFile === undefined ? 'none' : await readFile(rightsFile, 'utf8'),
      }),
    },
    {
      name: 'cluster.json',
      about: 'version of the cluster',
      read: async (signal) => (await cluster.recentCapabilities(signal)).version,
    },
    {
      name: 'agent-rights.json',
      about: 'rights of the agent itself in its namespace',
      read: async (signal) => await rightsIn({ cluster, signal }, namespace),
    },
    {
      name: 'health.json',
      about: 'checks of /livez and /readyz',
      read: () => ({ live: agent()?.health.live() ?? [], ready: agent()?.health.ready() ?? [] }),
    },
    {
      name: 'commands.jsonl',
      about: 'newest commands of this process: types, times and outcomes, without their payloads',
      read: () => commands.list(),
    },
    { name: 'log.jsonl', about: 'newest log lines of this process', read: () => lines?.text() ?? '' },
    {
      name: 'metrics.txt',
      about: 'metrics in the text form of Prometheus',
      read: async () => await (metrics ?? missingMetrics()).text(),
    },
    {
      name: 'pods.jsonl',
      about: 'states of the pods in the namespace of the agent',
      async read(signal) {
        const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, most: maxPods }, signal);
        return pods.map(podState);
      },
    },
    {
      name: 'events.jsonl',
      about: 'newest events in the namespace of the agent',
      async read(signal) {
        const query = { namespace, most: maxEvents, isWanted: () => true };
        const { events } = await newestEvents(cluster, query, signal);
        return await answeredEvents(events, (texts) => Promise.resolve([...texts]), signal); // the bundle is redacted
      },
    },
  ];
}

function missingMetrics(): never {
  throw new Error('the agent has no --health-port');
}

/** URLs in settings can have a user name and a password. */
function withoutUserinfo(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/:\/\/[^/@\s]{1,1024}@/g, '://***@') : value;
}

/** Returns the parts of a pod that say how it is. Its environment and its arguments are not. */
function podState(pod: KubeObject): object {
  const { name, creationTimestamp, deletionTimestamp } = pod.metadata;
  const conditions = objectsAt(pod, 'status', 'conditions').map(({ type, status, reason, message }) => ({
    ...{ type, status, reason, message },
  }));
  const containers = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  return {
    ...{ name, creationTimestamp, deletionTimestamp, node: stringAt(pod, 'spec', 'nodeName') },
    ...{ phase: stringAt(pod, 'status', 'phase'), reason: stringAt(pod, 'status', 'reason'), conditions },
    containers: containers.map((container) => ({
      ...{ name: fieldAt(container, 'name'), image: fieldAt(container, 'image'), ready: fieldAt(container, 'ready') },
      ...{ restarts: fieldAt(container, 'restartCount'), state: objectAt(container, 'state') },
      lastState: objectAt(container, 'lastState'),
    })),
  };
}
