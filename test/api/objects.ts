import test from 'ava';
import { configMap, newNamespace, refusal, type Environment } from './environment.ts';

/** Creating, reading, changing and refusing single objects. */
export function objects(open: () => Environment): void {
  test('a created object comes back with what the server says about it', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create(configMap(namespace, 'a', { x: '1' }));
    t.deepEqual(created['data'], { x: '1' });
    t.regex(created.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    t.regex(created.metadata.creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    t.regex(created.metadata.resourceVersion ?? '', /^\d+$/);
    t.deepEqual(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' }), created);
  });

  test('an object that is not there is undefined for get and 404 on the wire', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'none' }), undefined);
    const { status, body } = await raw('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/none`);
    t.is(status, 404);
    t.like(body, {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'deployments.apps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', group: 'apps', kind: 'deployments' },
      code: 404,
    });
  });

  test('a name that is taken is refused', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.create(configMap(namespace, 'a'));
    const error = await refusal(t, cluster.create(configMap(namespace, 'a')));
    t.is(error.code, 'already_exists');
    t.is(error.status, 409);
    t.is(error.message, 'configmaps "a" already exists');
  });

  test('a namespace that does not exist is refused', async (t) => {
    const error = await refusal(t, open().cluster.create(configMap('no-such-namespace', 'a')));
    t.is(error.code, 'not_found');
    t.is(error.message, 'namespaces "no-such-namespace" not found');
  });

  test('a name is generated from a prefix', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'made-', namespace } as unknown as { name: string },
    });
    t.regex(created.metadata.name, /^made-[a-z0-9]{5}$/);
  });

  test('a replacement with an old resourceVersion is a conflict', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const first = await cluster.create(configMap(namespace, 'a', { x: '1' }));
    const second = await cluster.replace({ ...first, data: { x: '2' } });
    t.not(second.metadata.resourceVersion, first.metadata.resourceVersion);
    const error = await refusal(t, cluster.replace({ ...first, data: { x: '3' } }));
    t.is(error.code, 'conflict');
    t.is(
      error.message,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test('a dry run answers and keeps nothing', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const answered = await cluster.create(configMap(namespace, 'a', { x: '1' }), { dryRun: true });
    t.deepEqual(answered['data'], { x: '1' });
    t.is(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' }), undefined);
  });

  test('a merge patch changes, adds and removes fields', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.create(configMap(namespace, 'a', { keep: '1', change: '1', remove: '1' }));
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    const patched = await cluster.mergePatch(ref, { data: { change: '2', remove: null, add: '3' } });
    t.deepEqual(patched['data'], { keep: '1', change: '2', add: '3' });
  });
}
