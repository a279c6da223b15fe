import { messageOf } from '../../../src/errors/index.ts';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { history } from '../../../src/release/history.ts';
import type { ReleaseStorage } from '../../../src/release/storage/storage.ts';

const kinds = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
] as const;

/**
 * Returns the objects of a namespace and the records of its release as text, without what differs
 * between two runs: times, uids, versions, names of pods and of the namespace.
 */
export async function snapshot(cluster: Cluster, storage: ReleaseStorage, namespace: string): Promise<string[]> {
  const objects: string[] = [];
  for (const [apiVersion, kind] of kinds) {
    for (const object of await cluster.list({ apiVersion, kind, namespace })) objects.push(objectText(object));
  }
  const revisions = await history(storage, namespace, 'web');
  const records = revisions.map(({ release, labels }) => JSON.stringify({ release, labels: Object.keys(labels) }));
  return [...objects.sort(), ...records].map((text) => generalText(text, namespace));
}

function objectText({ kind, metadata, spec, data }: KubeObject): string {
  const { name, labels, annotations } = metadata;
  const managers = ((metadata['managedFields'] ?? []) as { manager: string; operation: string }[]).map(
    ({ manager, operation }) => `${manager} ${operation}`,
  );
  return JSON.stringify({ kind, name, labels, annotations, managers: managers.sort(), spec, data });
}

/** Returns the code and the message of an error, if there is one. */
export function errorText(error: unknown, namespace: string): string | undefined {
  if (error === undefined) return undefined;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return generalText(`${code} ${messageOf(error)}`, namespace);
}

function generalText(text: string, namespace: string): string {
  return text
    .replaceAll(namespace, 'NAMESPACE')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/(status: Failed, message: )[^\n"]*?(?=: resource|$|\n|")/g, '$1REASON');
}
