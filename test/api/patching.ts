import test from 'ava';
import { causesOf } from '../../src/objects/cluster-error.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { threeWayPatch } from '../../src/objects/patch/strategic-merge-patch.ts';
import { configMap, type Environment, newNamespace } from './environment.ts';

interface Container {
  name: string;
  image?: string;
  env?: object[];
  ports?: object[];
}

function deploymentOf(namespace: string, spec: object, ...containers: Container[]): KubeObject {
  const labels = { app: 'web' };
  const pod = { containers: containers.map((container) => ({ image: 'localhost/app:1', ...container })) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...pod, ...spec } },
    },
  };
}

function podOf(object: KubeObject): { containers: Required<Container>[]; volumes?: object[] } {
  return (object['spec'] as { template: { spec: { containers: Required<Container>[] } } }).template.spec;
}

/** Returns the entries of all managers without their times. */
function managersOf({ metadata }: KubeObject): object[] {
  const entries = metadata['managedFields'] as { manager: string; time?: string }[];
  return entries.map(({ time: _time, ...entry }) => entry).sort((a, b) => (a.manager < b.manager ? -1 : 1));
}

/** Strategic merge patches, and the owners of fields that are written without an apply. */
export function patching(open: () => Environment): void {
  const helm = { fieldManager: 'helm' };
  const other = { fieldManager: 'other' };

  test('a strategic merge patch of three forms changes, adds, removes and sorts the elements of lists', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const volumes = [
      { name: 'a', emptyDir: {} },
      { name: 'b', emptyDir: {} },
    ];
    const original = deploymentOf(
      namespace,
      { volumes },
      { name: 'app', env: [{ name: 'A', value: '1' }, { name: 'B' }], ports: [{ containerPort: 80 }] },
      { name: 'side' },
    );
    const modified = deploymentOf(
      namespace,
      { volumes: [{ name: 'b', secret: { secretName: 's' } }] },
      { name: 'new' },
      { name: 'app', env: [{ name: 'C' }, { name: 'A', value: '2' }], ports: [{ containerPort: 80, name: 'http' }] },
    );
    await cluster.create(original, helm);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
    const injected = { containers: [{ name: 'injected', image: 'localhost/app:1' }] };
    const live = await cluster.strategicMergePatch(ref, { spec: { template: { spec: injected } } }, other);
    t.is(podOf(live).containers.length, 3);
    const schema = await cluster.patchSchema('apps/v1', 'Deployment');
    const patch = schema && threeWayPatch(original, modified, live, schema);
    const patched = podOf(await cluster.strategicMergePatch(ref, patch, helm));
    t.deepEqual(patched.containers.map(({ name }) => name).toSorted(), ['app', 'injected', 'new']);
    t.true(
      patched.containers.findIndex(({ name }) => name === 'new') <
        patched.containers.findIndex(({ name }) => name === 'app'),
    );
    const app = patched.containers.find(({ name }) => name === 'app');
    t.deepEqual(app?.env, [{ name: 'C' }, { name: 'A', value: '2' }]);
    t.like(app?.ports, { length: 1, 0: { containerPort: 80, name: 'http', protocol: 'TCP' } });
    t.like(patched.volumes, { length: 1, 0: { name: 'b', secret: { secretName: 's' } } });
    t.false(Object.hasOwn(patched.volumes?.[0] ?? {}, 'emptyDir'));
  });

  test('a strategic merge patch replaces a list whose elements have the same key', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const service = (...ports: object[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'dns', namespace },
      spec: { selector: { app: 'dns' }, ports },
    });
    const udp = { name: 'udp', port: 53, protocol: 'UDP' };
    const original = service(udp);
    const modified = service(udp, { name: 'tcp', port: 53, protocol: 'TCP' });
    const live = await cluster.create(original, helm);
    const schema = await cluster.patchSchema('v1', 'Service');
    const patch = schema && threeWayPatch(original, modified, live, schema);
    const ref = { apiVersion: 'v1', kind: 'Service', namespace, name: 'dns' };
    const patched = await cluster.strategicMergePatch(ref, patch, helm);
    t.like((patched['spec'] as { ports: object[] }).ports, {
      length: 2,
      0: { protocol: 'UDP' },
      1: { protocol: 'TCP' },
    });
  });

  test('a creation and a patch make their managers the owners of what they change', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    const created = await cluster.create(configMap(namespace, 'a', { mine: '1', taken: '1', gone: '1' }), helm);
    const entry = { apiVersion: 'v1', fieldsType: 'FieldsV1', operation: 'Update' };
    t.deepEqual<unknown, unknown>(managersOf(created), [
      {
        ...entry,
        manager: 'helm',
        fieldsV1: { 'f:data': { '.': {}, 'f:gone': {}, 'f:mine': {}, 'f:taken': {} } },
      },
    ]);
    const patched = await cluster.mergePatch(ref, { data: { taken: '2', added: '1', gone: null } }, other);
    t.deepEqual<unknown, unknown>(managersOf(patched), [
      { ...entry, manager: 'helm', fieldsV1: { 'f:data': { '.': {}, 'f:mine': {} } } },
      { ...entry, manager: 'other', fieldsV1: { 'f:data': { 'f:added': {}, 'f:taken': {} } } },
    ]);
    const same = await cluster.mergePatch(ref, { data: { mine: '1' } }, other);
    t.is(same.metadata.resourceVersion, patched.metadata.resourceVersion);
    const error = await t.throwsAsync(cluster.apply(configMap(namespace, 'a', { taken: '3' }), helm));
    t.like(error, { code: 'conflict', causes: [{ field: '.data.taken', manager: 'other' }] });
  });

  test('scaling owns the replicas, so that an apply conflicts with it', async (t) => {
    const { cluster, raw } = open();
    const namespace = await newNamespace(t, open());
    const deployment = deploymentOf(namespace, {}, { name: 'app' });
    await cluster.apply(deployment, helm);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`;
    const body = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace },
      spec: { replicas: 1 },
    };
    t.is((await raw('PUT', `${path}?fieldManager=scaler`, { body })).status, 200);
    const error = await t.throwsAsync(cluster.apply(deployment, helm));
    t.like(error, { code: 'conflict', causes: [{ field: '.spec.replicas', manager: 'scaler' }] });
    await cluster.apply(deployment, { ...helm, force: true });
  });

  test('managed fields can be replaced, and an apply then owns them', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    const created = await cluster.create(configMap(namespace, 'a', { keep: '1', drop: '1' }), helm);
    const [entry] = created.metadata['managedFields'] as object[];
    const managedFields = [{ ...entry, operation: 'Apply' }];
    await cluster.mergePatch(ref, { metadata: { managedFields } });
    const applied = await cluster.apply(configMap(namespace, 'a', { keep: '1' }), helm);
    t.deepEqual(applied['data'], { keep: '1' });
    t.like(managersOf(applied), { length: 1, 0: { operation: 'Apply', manager: 'helm' } });
  });

  test('an apply, a patch and an update with the uid of another object change nothing', async (t) => {
    const { cluster } = open();
    const namespace = await newNamespace(t, open());
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
    const object = configMap(namespace, 'a', { x: '1' });
    const created = await cluster.create(object, helm);
    const uid = '00000000-0000-4000-8000-000000000000';
    const foreign = { ...object, metadata: { ...object.metadata, uid }, data: { x: '2' } };
    const refused = async (write: Promise<unknown>) => {
      const error = await t.throwsAsync(write, { code: 'invalid' });
      t.is(causesOf(error)[0]?.field, 'metadata.uid');
    };
    await refused(cluster.apply(foreign, { ...helm, force: true }));
    await refused(cluster.mergePatch(ref, { metadata: { uid }, data: { x: '2' } }));
    await refused(cluster.strategicMergePatch(ref, { metadata: { uid }, data: { x: '2' } }));
    await t.throwsAsync(cluster.replace(foreign), { code: 'conflict' });
    const missing = { ...foreign, metadata: { ...foreign.metadata, name: 'none' } };
    await t.throwsAsync(cluster.apply(missing, helm), { code: 'conflict' });
    t.is(await cluster.get({ ...ref, name: 'none' }), undefined);
    const own = { ...object, metadata: { ...object.metadata, uid: created.metadata.uid ?? '' }, data: { x: '3' } };
    const applied = await cluster.apply(own, { ...helm, force: true });
    t.deepEqual(applied['data'], { x: '3' });
    t.false(JSON.stringify(applied.metadata['managedFields']).includes('f:uid'));
  });
}
