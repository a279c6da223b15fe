import test from 'ava';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import { configMap, type Environment, eventually, newNamespace, refusal } from './environment.ts';
import { deployment } from './workload-objects.ts';

function refTo(object: KubeObject): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Deletion with finalizers, owners and namespaces. */
export function deleting(open: () => Environment): void {
  const gone = (ref: ObjectRef): Promise<boolean> =>
    eventually(`${ref.kind} ${ref.name} is gone`, 90, async () => ((await open().cluster.get(ref)) ? undefined : true));

  /** Returns a ConfigMap that another one owns. */
  const owned = (owner: KubeObject, name: string, blockOwnerDeletion = true): KubeObject => {
    const object = configMap(owner.metadata.namespace ?? '', name);
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid ?? '' };
    return { ...object, metadata: { ...object.metadata, ownerReferences: [{ ...reference, blockOwnerDeletion }] } };
  };

  test('delete returns whether there was an object to delete', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create(configMap(namespace, 'a'));
    t.true(await cluster.delete(refTo(created)));
    t.false(await cluster.delete(refTo(created)));
    const again = await cluster.create(configMap(namespace, 'a'));
    const { status, body } = await raw('DELETE', `/api/v1/namespaces/${namespace}/configmaps/a`);
    t.is(status, 200);
    t.like(body, {
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: again.metadata.uid },
    });
  });

  test('delete with another uid does not delete the object', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create(configMap(namespace, 'a'));
    t.false(await cluster.delete(refTo(created), { uid: 'another' }));
    t.truthy(await cluster.get(refTo(created)));
    const body = { preconditions: { uid: 'another' } };
    const answer = await raw('DELETE', `/api/v1/namespaces/${namespace}/configmaps/a`, { body });
    t.is(answer.status, 409);
    t.is(
      answer.body['message'],
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (another) does not match the UID in record (${created.metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
    t.true(await cluster.delete(refTo(created), { uid: created.metadata.uid ?? '' }));
  });

  test('a deleted object with a finalizer remains until the finalizer is removed', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const object = configMap(namespace, 'a');
    await cluster.create({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/wait'] } });
    t.true(await cluster.delete(refTo(object)));
    const kept = await cluster.get(refTo(object));
    t.truthy(kept?.metadata.deletionTimestamp);
    await cluster.mergePatch(refTo(object), { metadata: { finalizers: null } });
    t.is(await cluster.get(refTo(object)), undefined);
  });

  test('dependents are deleted after their owner in the background', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const owner = await cluster.create(configMap(namespace, 'owner'));
    const dependent = await cluster.create(owned(owner, 'dependent'));
    await cluster.delete(refTo(owner));
    t.true(await gone(refTo(dependent)));
  });

  test('dependents are deleted before their owner in the foreground', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const owner = await cluster.create(configMap(namespace, 'owner'));
    const dependent = await cluster.create(owned(owner, 'dependent'));
    await cluster.delete(refTo(owner), { propagation: 'Foreground' });
    t.true(await gone(refTo(owner)));
    t.is(await cluster.get(refTo(dependent)), undefined);
  });

  test('dependents remain as orphans with the policy Orphan', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const owner = await cluster.create(configMap(namespace, 'owner'));
    const dependent = await cluster.create(owned(owner, 'dependent'));
    await cluster.delete(refTo(owner), { propagation: 'Orphan' });
    t.true(await gone(refTo(owner)));
    const left = await cluster.get(refTo(dependent));
    t.is(left?.metadata.ownerReferences, undefined);
  });

  test('the ReplicaSets and pods of a deleted Deployment are deleted', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const created = await cluster.create(deployment(namespace, 'web'));
    const query = { apiVersion: 'v1', kind: 'Pod', namespace };
    await eventually('there is a pod', 90, async () => ((await cluster.list(query)).length > 0 ? true : undefined));
    await cluster.delete(refTo(created));
    await eventually('the pods are gone', 90, async () =>
      (await cluster.list(query)).length === 0 ? true : undefined,
    );
    t.deepEqual(await cluster.list({ ...query, apiVersion: 'apps/v1', kind: 'ReplicaSet' }), []);
  });

  test('a new namespace has default objects, and a deleted one is emptied before it is removed', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: 'default' };
    await eventually('the service account', 30, () => cluster.get(account));
    const authority = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'kube-root-ca.crt' };
    const found = await eventually('the authority', 30, () => cluster.get(authority));
    t.regex((found['data'] as Record<string, string>)['ca.crt'] ?? '', /^-----BEGIN CERTIFICATE-----/);
    const created = await cluster.get(ref);
    t.like(created, {
      metadata: { labels: { 'kubernetes.io/metadata.name': namespace } },
      status: { phase: 'Active' },
    });

    const object = configMap(namespace, 'a');
    await cluster.create({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/wait'] } });
    await cluster.delete(ref);
    t.like(await cluster.get(ref), { status: { phase: 'Terminating' } });
    const error = await refusal(t, cluster.create(configMap(namespace, 'late')));
    t.is(error.code, 'forbidden');
    t.is(
      error.message,
      `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    );
    await eventually(
      'its contents are deleted',
      150,
      async () => (await cluster.get(refTo(object)))?.metadata.deletionTimestamp,
    );
    await cluster.mergePatch(refTo(object), { metadata: { finalizers: null } });
    t.true(await gone(ref));
  });
}
