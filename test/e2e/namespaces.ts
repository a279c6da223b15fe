import type { ExecutionContext } from 'ava';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { eventually } from '../support/eventually.ts';

/**
 * Returns an unused name for a namespace, which is deleted when the test ends, as are those with
 * `-SUFFIX` in addition.
 */
export function freeNamespace(t: ExecutionContext, cluster: KubeCluster, suffixes: readonly string[] = []): string {
  const name = uniqueName('e2e');
  t.teardown(async () => {
    for (const each of [name, ...suffixes.map((suffix) => `${name}-${suffix}`)])
      await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: each });
  });
  return name;
}

/**
 * Creates a namespace, and waits until pods can be created in it: they need its default service
 * account, which a controller creates.
 */
export async function createNamespace(cluster: KubeCluster, name: string): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: name, name: 'default' };
  await eventually(
    'the namespace has its service account',
    async () => (await cluster.get(account)) !== undefined,
    120_000,
  );
}

/** Returns a namespace's objects of the given kinds, as `KIND/NAME`. */
export async function contentsOf(
  cluster: KubeCluster,
  namespace: string,
  kinds: readonly (readonly [apiVersion: string, kind: string])[],
): Promise<string[]> {
  const lists = await Promise.all(kinds.map(([apiVersion, kind]) => cluster.list({ apiVersion, kind, namespace })));
  return lists
    .flat()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .filter((name) => name !== 'ConfigMap/kube-root-ca.crt')
    .toSorted();
}

/** Kinds of the objects in the example chart `web`. */
export const webKinds = [
  ['apps/v1', 'Deployment'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['batch/v1', 'Job'],
] as const;
