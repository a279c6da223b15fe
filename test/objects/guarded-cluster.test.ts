import test from 'ava';
import type { Cluster, ObservedChange } from '../../src/objects/cluster.ts';
import { guardedCluster } from '../../src/objects/guarded-cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';

const own = 'agent';
const object = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', namespace },
});
const namespaceObject: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: own } };

/** Returns a guarded cluster, and the names of the requests that reach the one behind it. */
function guarded() {
  const sent: string[] = [];
  const responses: Record<string, unknown> = { list: [object(own), object('shop')], delete: true, podLog: '' };
  const cluster = new Proxy({} as Cluster, {
    ownKeys: () => [...single, ...streams],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    get: (_, name: string) =>
      (streams as readonly string[]).includes(name)
        ? async function* () {
            sent.push(name);
            await Promise.resolve();
            if (name !== 'observe') return;
            yield { type: 'snapshot', objects: [object(own), object('shop')] } satisfies ObservedChange;
            yield { type: 'changed', object: object(own) } satisfies ObservedChange;
            yield { type: 'deleted', object: object('shop') } satisfies ObservedChange;
          }
        : () => {
            sent.push(name);
            return Promise.resolve(responses[name]);
          },
  });
  return { sent, cluster: guardedCluster(cluster, own, 'not here') };
}

const single = [
  'get',
  'list',
  'create',
  'replace',
  'apply',
  'mergePatch',
  'strategicMergePatch',
  'delete',
  'podLog',
  'exec',
  'forwardPort',
];
const streams = ['observe', 'followLog', 'streamLog'];

/** Every request of a cluster that names an object or a namespace. */
const requests: Record<string, (cluster: Cluster, target: KubeObject) => Promise<unknown>> = {
  get: (cluster, target) => cluster.get(refOf(target)),
  list: (cluster, { metadata: { namespace } }) =>
    cluster.list({ apiVersion: 'v1', kind: 'Secret', metadataOnly: true, ...(namespace && { namespace }) }),
  create: (cluster, target) => cluster.create(target),
  replace: (cluster, target) => cluster.replace(target),
  apply: (cluster, target) => cluster.apply(target, { fieldManager: 'helm', dryRun: true }),
  mergePatch: (cluster, target) => cluster.mergePatch(refOf(target), {}),
  strategicMergePatch: (cluster, target) => cluster.strategicMergePatch(refOf(target), {}),
  delete: (cluster, target) => cluster.delete(refOf(target)),
  observe: (cluster, { apiVersion, kind, metadata: { namespace } }) =>
    collected(cluster.observe({ apiVersion, kind, ...(namespace && { namespace }) }, AbortSignal.abort())),
  podLog: (cluster, target) => cluster.podLog(containerOf(target), { tailLines: 1 }),
  exec: (cluster, target) =>
    cluster.exec(containerOf(target), { command: ['a'], input: false, tty: false, signal: AbortSignal.abort() }),
  forwardPort: (cluster, target) => cluster.forwardPort(containerOf(target), { port: 80, signal: AbortSignal.abort() }),
  followLog: (cluster, target) => collected(cluster.followLog(containerOf(target), { signal: AbortSignal.abort() })),
  streamLog: (cluster, target) => collected(cluster.streamLog(containerOf(target), { signal: AbortSignal.abort() })),
};

function refOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject) {
  return { apiVersion, kind, name, ...(namespace && { namespace }) };
}

function containerOf({ metadata: { name, namespace = '' } }: KubeObject) {
  return { namespace, name, container: 'a' };
}

for (const [name, send] of Object.entries(requests)) {
  test(`${name} is forbidden in the namespace, and not in others`, async (t) => {
    const { sent, cluster } = guarded();
    await t.throwsAsync(send(cluster, object(own)), { code: 'forbidden', message: 'not here' });
    t.deepEqual(sent, []);
    await send(cluster, object('shop'));
    t.deepEqual(sent, [name]);
  });
}

for (const name of ['create', 'replace', 'apply', 'mergePatch', 'strategicMergePatch', 'delete']) {
  test(`${name} is forbidden for the Namespace itself`, async (t) => {
    const { sent, cluster } = guarded();
    await t.throwsAsync(async () => requests[name]?.(cluster, namespaceObject), { code: 'forbidden' });
    t.deepEqual(sent, []);
  });
}

test('the Namespace itself can be read', async (t) => {
  const { sent, cluster } = guarded();
  await cluster.get(refOf(namespaceObject));
  t.deepEqual(sent, ['get']);
});

test('lists and watches over all namespaces leave out the objects of the namespace', async (t) => {
  const { cluster } = guarded();
  t.deepEqual(await cluster.list({ apiVersion: 'v1', kind: 'Secret' }), [object('shop')]);
  const changes = await collected(cluster.observe({ apiVersion: 'v1', kind: 'Secret' }, new AbortController().signal));
  t.deepEqual(changes, [
    { type: 'snapshot', objects: [object('shop')] },
    { type: 'deleted', object: object('shop') },
  ]);
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
