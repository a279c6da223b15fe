import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { configMap, type Environment, newNamespace, refusal } from './environment.ts';

interface Container {
  name: string;
  image: string;
  env?: { name: string; value: string }[];
  ports?: { containerPort: number; name?: string }[];
}

function deploymentOf(namespace: string, ...containers: Container[]): KubeObject {
  const labels = { app: 'web' };
  const spec = {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec };
}

function containersOf(object: KubeObject): Container[] {
  return (object['spec'] as { template: { spec: { containers: Container[] } } }).template.spec.containers;
}

/** Server-side apply. */
export function applying(open: () => Environment): void {
  const helm = { fieldManager: 'helm' };

  test('apply creates a missing object and records the fields of the manager', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const applied = await cluster.apply(configMap(namespace, 'a', { x: '1' }), helm);
    t.deepEqual(applied['data'], { x: '1' });
    t.like(applied.metadata['managedFields'], [
      {
        manager: 'helm',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} } },
      },
    ]);
  });

  test('apply adds, changes and removes fields, and keeps those of other managers', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.apply(configMap(namespace, 'a', { change: '1', drop: '1', keep: '1' }), helm);
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    await cluster.mergePatch(ref, { data: { other: '1' } });
    const applied = await cluster.apply(configMap(namespace, 'a', { add: '1', change: '2', keep: '1' }), helm);
    t.deepEqual(applied['data'], { add: '1', change: '2', keep: '1', other: '1' });
  });

  test('apply without a change keeps the resourceVersion', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const first = await cluster.apply(configMap(namespace, 'a', { x: '1' }), helm);
    const second = await cluster.apply(configMap(namespace, 'a', { x: '1' }), helm);
    t.is(second.metadata.resourceVersion, first.metadata.resourceVersion);
  });

  test('apply removes labels and annotations that are omitted', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const object = configMap(namespace, 'a');
    await cluster.apply(
      { ...object, metadata: { ...object.metadata, labels: { a: '1', b: '1' }, annotations: { n: '1' } } },
      helm,
    );
    const applied = await cluster.apply({ ...object, metadata: { ...object.metadata, labels: { b: '1' } } }, helm);
    t.deepEqual(applied.metadata.labels, { b: '1' });
    t.is(applied.metadata.annotations, undefined);
  });

  test('apply merges containers, their environment and ports by key, and removes those that are omitted', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const side = { name: 'side', image: 'localhost/app:1' };
    const app = {
      name: 'app',
      image: 'localhost/app:1',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
      ],
      ports: [{ containerPort: 8080, name: 'http' }, { containerPort: 9090 }],
    };
    await cluster.apply(deploymentOf(namespace, side, app), helm);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
    await cluster.mergePatch(ref, { spec: { minReadySeconds: 3 } });
    const second = {
      name: 'app',
      image: 'localhost/app:2',
      env: [
        { name: 'C', value: '3' },
        { name: 'B', value: '2' },
      ],
      ports: [{ containerPort: 8080, name: 'web' }],
    };
    const applied = await cluster.apply(deploymentOf(namespace, second), helm);
    t.is((applied['spec'] as { minReadySeconds: number }).minReadySeconds, 3);
    t.is(containersOf(applied).length, 1);
    const [container] = containersOf(applied);
    t.is(container?.image, 'localhost/app:2');
    t.deepEqual(container?.env, second.env);
    t.like(container?.ports, { length: 1, 0: { containerPort: 8080, name: 'web', protocol: 'TCP' } });
  });

  test('apply merges the ports of a Service by port and protocol', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const service = (...ports: object[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace },
      spec: { selector: { app: 'web' }, ports },
    });
    const first = await cluster.apply(service({ name: 'a', port: 80 }, { name: 'b', port: 81 }), helm);
    const second = await cluster.apply(service({ name: 'b', port: 81, targetPort: 8081 }), helm);
    const specOf = (object: KubeObject): { clusterIP: string; ports: { port: number; targetPort: number }[] } =>
      object['spec'] as never;
    t.is(specOf(second).clusterIP, specOf(first).clusterIP);
    t.like(specOf(second).ports, { length: 1, 0: { name: 'b', port: 81, targetPort: 8081, protocol: 'TCP' } });
  });

  test('apply replaces a list without keys', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const role = (...verbs: string[]): KubeObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace },
      rules: verbs.map((verb) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] })),
    });
    await cluster.apply(role('get', 'list'), helm);
    const applied = await cluster.apply(role('watch'), helm);
    t.deepEqual(applied['rules'], [{ apiGroups: [''], resources: ['pods'], verbs: ['watch'] }]);
  });

  test('apply fails with a conflict if another manager applied another value, unless it is forced', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.apply(configMap(namespace, 'a', { x: '1', y: '1' }), { fieldManager: 'first' });
    const error = await refusal(t, cluster.apply(configMap(namespace, 'a', { x: '2' }), helm));
    t.is(error.code, 'conflict');
    t.is(error.message, 'Apply failed with 1 conflict: conflict with "first": .data.x');
    const same = await cluster.apply(configMap(namespace, 'a', { x: '1' }), helm);
    t.deepEqual(same['data'], { x: '1', y: '1' });
    const forced = await cluster.apply(configMap(namespace, 'a', { x: '2' }), { ...helm, force: true });
    t.deepEqual(forced['data'], { x: '2', y: '1' });
  });

  test('apply in dry run returns the result without storing it', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    await cluster.apply(configMap(namespace, 'a', { x: '1' }), helm);
    const result = await cluster.apply(configMap(namespace, 'a', { x: '2' }), { ...helm, dryRun: true });
    t.deepEqual(result['data'], { x: '2' });
    const kept = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
    t.deepEqual(kept?.['data'], { x: '1' });
  });

  test('apply fails without a field manager', async (t) => {
    const { raw } = open();
    const namespace = await newNamespace(t, open());
    const { status, body } = await raw('PATCH', `/api/v1/namespaces/${namespace}/configmaps/a`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: configMap(namespace, 'a'),
    });
    t.is(status, 422);
    t.is(
      body['message'],
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });

  test('apply names the field with a value of the wrong type', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const object = { ...configMap(namespace, 'a'), data: { x: 1 } };
    const error = await refusal(t, cluster.apply(object, helm));
    t.is(
      error.message,
      `failed to create typed patch object (${namespace}/a; /v1, Kind=ConfigMap): .data.x: expected string, got &value.valueUnstructured{Value:1}`,
    );
    t.is(error.code, 'invalid');
  });
}
