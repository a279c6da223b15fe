import type { Cluster } from '../../../src/objects/cluster.ts';
import { ensureNamespace, type NamespaceOptions } from '../../../src/operation/steps/namespace.ts';
import { sandboxTest } from '../world.ts';

const test = sandboxTest();

/** Calls `ensureNamespace`. Returns what the step says. */
async function ensure(cluster: Cluster, name: string, options: NamespaceOptions): Promise<string> {
  let end = '';
  await ensureNamespace(cluster, name, options, {
    signal: new AbortController().signal,
    done: (message) => (end = `done: ${message}`),
    skipped: (message) => (end = `skipped: ${message}`),
    report: () => undefined,
  });
  return end;
}

const ref = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', name });

/** Returns the cluster, which forbids these verbs. */
function forbidding(cluster: Cluster, ...verbs: ('get' | 'apply' | 'create')[]): Cluster {
  const refuse = () => Promise.reject(Object.assign(new Error('forbidden'), { code: 'forbidden' }));
  return { ...cluster, ...Object.fromEntries(verbs.map((verb) => [verb, refuse])) };
}

const create = { create: true, method: 'ssa' } as const;

test('applies the label of Helm to a namespace that exists', async (t) => {
  const { cluster } = t.context;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'labelled', labels: { team: 'a' } } };
  await cluster.create(object, { fieldManager: 'someone' });
  t.is(await ensure(cluster, 'labelled', create), 'done: labelled applied');
  const live = await cluster.get(ref('labelled'));
  t.like(live?.metadata.labels, { team: 'a', name: 'labelled' });
});

test('leaves a namespace whose label another manager owns with another value', async (t) => {
  const { cluster } = t.context;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'taken', labels: { name: 'other' } } };
  await cluster.apply(object, { fieldManager: 'someone' });
  t.is(await ensure(cluster, 'taken', create), 'skipped: taken exists, with a label of another manager');
  t.is((await cluster.get(ref('taken')))?.metadata.labels?.['name'], 'other');
});

test('creates a namespace that it is not allowed to change', async (t) => {
  const cluster = forbidding(t.context.cluster, 'apply');
  t.is(await ensure(cluster, 'created', create), 'done: created created');
  t.is(await ensure(cluster, 'created', create), 'skipped: created exists');
});

test('a client-side release creates the namespace, or leaves it as it is', async (t) => {
  const { cluster } = t.context;
  t.is(await ensure(cluster, 'client', { create: true, method: 'csa' }), 'done: client created');
  t.is(await ensure(cluster, 'client', { create: true, method: 'csa' }), 'skipped: client exists');
});

test('uses a namespace without permission to read or change it', async (t) => {
  const cluster = forbidding(t.context.cluster, 'get', 'apply', 'create');
  t.is(await ensure(cluster, 'x', create), 'skipped: no permission to change namespace x');
});

test('sends no request for a namespace that is not to be created', async (t) => {
  const cluster = forbidding(t.context.cluster, 'get', 'apply', 'create');
  t.is(await ensure(cluster, 'none', { ...create, create: false }), 'skipped: not requested');
});
