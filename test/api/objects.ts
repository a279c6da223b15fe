import test from 'ava';
import { configMap, type Environment, newNamespace, refusal } from './environment.ts';

/** Creation, reads and changes of single objects. */
export function objects(open: () => Environment): void {
  test('create returns the object with the metadata that the server sets', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create(configMap(namespace, 'a', { x: '1' }));
    t.deepEqual(created['data'], { x: '1' });
    t.regex(created.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    t.regex(created.metadata.creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    t.regex(created.metadata.resourceVersion ?? '', /^\d+$/);
    t.deepEqual(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' }), created);
  });

  test('get returns undefined for a missing object, and the server responds with 404', async (t) => {
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

  test('create fails if the name is in use', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.create(configMap(namespace, 'a'));
    const error = await refusal(t, cluster.create(configMap(namespace, 'a')));
    t.is(error.code, 'already_exists');
    t.is(error.status, 409);
    t.is(error.message, 'configmaps "a" already exists');
  });

  test('create fails if the namespace does not exist', async (t) => {
    const error = await refusal(t, open().cluster.create(configMap('no-such-namespace', 'a')));
    t.is(error.code, 'not_found');
    t.is(error.message, 'namespaces "no-such-namespace" not found');
  });

  test('create generates a name from a prefix', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'made-', namespace } as unknown as { name: string },
    });
    t.regex(created.metadata.name, /^made-[a-z0-9]{5}$/);
  });

  test('replace fails with a conflict if the resourceVersion is old', async (t) => {
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

  test('create in dry run returns the object without storing it', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const result = await cluster.create(configMap(namespace, 'a', { x: '1' }), { dryRun: true });
    t.deepEqual(result['data'], { x: '1' });
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
