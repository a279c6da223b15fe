import type { Cluster } from '../../../objects/cluster.ts';
import { isJsonObject } from '../../../objects/fields.ts';
import type { KubeObject } from '../../../objects/object.ts';
import type { Hook } from '../../../release/hook.ts';
import { endOfLog, type RedactText } from '../../evidence/collect-evidence.ts';

/** The log of a container of a test. */
export interface TestLog {
  pod: string;
  container: string;
  /** The end of the log. */
  log: string;
}

/** Lines of each container's log. */
const tailLines = 10_000;
/** Characters of each log. */
const longestLog = 64 * 1024;
/** Characters of all logs together, because they are sent in one packet. */
const maxCharacters = 256 * 1024;

/** Number of logs. */
const maxLogs = 100;

/** Reads the logs of the containers of tests, which are Pods or Jobs, and redacts them. */
export async function readTestLogs(
  cluster: Cluster,
  hooks: readonly Hook[],
  namespace: string,
  { redact, signal }: { redact: RedactText; signal: AbortSignal },
): Promise<TestLog[]> {
  const logs: TestLog[] = [];
  for (const hook of hooks) {
    for (const pod of await podsOf(cluster, hook, namespace, signal)) {
      for (const container of containersOf(pod)) {
        if (logs.length === maxLogs) break;
        const { name } = pod.metadata;
        const log = await cluster.podLog({ namespace, name, container }, { tailLines, signal });
        logs.push({ pod: name, container, log: await endOfLog(log, longestLog, redact) });
      }
    }
  }
  const share = Math.floor(maxCharacters / Math.max(1, logs.length));
  for (const entry of logs) entry.log = entry.log.slice(-share).toWellFormed();
  return logs;
}

async function podsOf(cluster: Cluster, { kind, name }: Hook, namespace: string, signal: AbortSignal) {
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace };
  if (kind === 'Job') return await cluster.list({ ...pods, labelSelector: `job-name=${name}` }, signal);
  const pod = kind === 'Pod' ? await cluster.get({ ...pods, name }, signal) : undefined;
  return pod === undefined ? [] : [pod];
}

/** Returns the names of the containers, those for initialization first. */
function containersOf({ spec }: KubeObject): string[] {
  if (!isJsonObject(spec)) return [];
  return [spec['initContainers'], spec['containers']]
    .flatMap((list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []))
    .flatMap((container) => (isJsonObject(container) ? [String(container['name'])] : []));
}
