import { randomBytes } from 'node:crypto';
import type { Cluster, ObjectPage } from '../../../src/objects/cluster.ts';
import { guardedCluster } from '../../../src/objects/guarded-cluster.ts';
import type { KubeObject, ServedKind } from '../../../src/objects/object.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import { clusterInfo } from '../../../src/operation/objects/cluster-info.ts';
import { describeObject } from '../../../src/operation/objects/describe-object.ts';
import { getObject } from '../../../src/operation/objects/get-object.ts';
import { listEvents } from '../../../src/operation/objects/list-events.ts';
import { listObjects } from '../../../src/operation/objects/list-objects.ts';
import { newestEvents } from '../../../src/operation/objects/newest-events.ts';
import { servedKindOf } from '../../../src/operation/objects/served-kind.ts';
import { shownObject } from '../../../src/operation/objects/shown-object.ts';
import { configMap } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest } from '../world.ts';

const test = sandboxTest();
const never = new AbortController().signal;
const password = 'correct-horse-battery';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: app, image: app, env: [{name: DB_PASSWORD, value: ${password}}]}
`;
const secret = `apiVersion: v1
kind: Secret
metadata: {name: keys, annotations: {copy: '${password}'}}
stringData: {password: ${password}}
`;
const chart = textChart({ 'web.yaml': deployment, 'keys.yaml': secret, 'config.yaml': configMap('config') });

/** Every way to read what a Secret has, as text. */
async function everything(context: OperationContext, namespace: string): Promise<string[]> {
  const name = { namespace, kind: 'secrets', name: 'keys' };
  return await Promise.all(
    [
      getObject(context, name),
      getObject(context, { ...name, kind: 'Secret', apiVersion: 'v1' }),
      describeObject(context, name),
      listObjects(context, { kind: 'Secret', namespace }),
      listObjects(context, { kind: 'secrets', namespace, fieldSelector: 'metadata.name=keys' }),
      getObject(context, { namespace, kind: 'deploy', name: 'web' }),
      describeObject(context, { namespace, kind: 'deployment', name: 'web' }),
      listObjects(context, { kind: 'pods', namespace }),
      listObjects(context, { kind: 'deployments.apps', namespace }),
    ].map(async (answer) => JSON.stringify(await answer)),
  );
}

test('no command shows the value of a Secret, or a variable that is likely secret', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const applied = JSON.stringify({ data: { password } });
  await world.cluster.mergePatch(
    { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: 'keys' },
    { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } } },
  );
  const encoded = Buffer.from(password).toString('base64');
  for (const text of await everything(world.context(), world.namespace)) {
    t.false(text.includes(password), text);
    t.false(text.includes(encoded), text);
    t.false(text.includes('managedFields'), text);
    t.true(text.includes('***'), text);
  }
});

test('a stored release is masked in a Secret and in a ConfigMap', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { objects } = await listObjects(world.context(), { kind: 'Secret', namespace: world.namespace });
  const stored = objects.find(({ object }) => object.metadata.name.startsWith('sh.helm.release'));
  t.deepEqual(stored?.object['data'], { release: '***' });
  const metadata = { name: 'r', labels: { owner: 'helm' } };
  const record = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { release: 'H4sI' } };
  t.deepEqual(shownObject(record)['data'], { release: '***' });
  t.deepEqual(shownObject({ ...record, metadata: { name: 'r' } })['data'], { release: 'H4sI' });
});

test('an object that calls itself a Secret of another group, or has odd fields, is masked', (t) => {
  const odd = {
    apiVersion: 'example.com/v1',
    kind: 'SECRET',
    metadata: { name: 'x', annotations: { 'meta.helm.sh/release-name': 'web', other: password } },
    data: { a: password },
    stringData: { b: { c: password } },
    spec: { d: password },
    type: { e: password },
  } as unknown as KubeObject; // as an API service may answer
  const shown = shownObject(odd);
  t.false(JSON.stringify(shown).includes(password));
  t.deepEqual(shown.metadata.annotations, { 'meta.helm.sh/release-name': 'web', other: '***' });
});

test('describes a Deployment with its release, pods, conditions and events', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const described = await describeObject(world.context(), { namespace, kind: 'deploy', name: 'web' });
  t.deepEqual(described.belongsTo, { namespace, name: releaseName });
  t.is(described.status.status, 'Current');
  t.is(described.pods.length, 2);
  t.true(described.pods.every(({ ready, phase }) => ready && phase === 'Running'));
  t.true(described.conditions.some(({ type, status }) => type === 'Available' && status === 'True'));
  const [pod] = described.pods;
  const ofPod = await describeObject(world.context(), { namespace, kind: 'po', name: pod?.name ?? '' });
  t.deepEqual(
    ofPod.owners.map(({ kind, exists }) => [kind, exists]),
    [
      ['ReplicaSet', true],
      ['Deployment', true],
    ],
  );
});

test('an owner that is gone, or that claims to own itself, ends the chain', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const { uid = '' } = (await world.find('ConfigMap', 'config'))?.metadata ?? {};
  const own = { apiVersion: 'v1', kind: 'ConfigMap', name: 'config', uid };
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'config' };
  const describe = () => describeObject(world.context(), { namespace, kind: 'cm', name: 'config' });
  const cluster: Cluster = {
    ...world.cluster,
    async get(asked, signal) {
      const found = await world.cluster.get(asked, signal);
      return found && { ...found, metadata: { ...found.metadata, ownerReferences: [own] } };
    },
  };
  const { owners } = await describeObject(world.context({ cluster }), { namespace, kind: 'cm', name: 'config' });
  t.is(owners.length, 10);
  const gone = { ...own, name: '../../secrets/keys', uid: 'x' };
  const withGone: Cluster = {
    ...world.cluster,
    get: async (asked, signal) => {
      const found = await world.cluster.get(asked, signal);
      return asked.name === ref.name && found
        ? { ...found, metadata: { ...found.metadata, ownerReferences: [gone] } }
        : found;
    },
  };
  const chain = await describeObject(world.context({ cluster: withGone }), { namespace, kind: 'cm', name: 'config' });
  t.deepEqual(chain.owners, [{ apiVersion: 'v1', kind: 'ConfigMap', name: '../../secrets/keys' }]);
  t.deepEqual((await describe()).owners, []);
});

test('an object that does not exist gets an error with those that do', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const error = await t.throwsAsync(getObject(world.context(), { namespace, kind: 'deploy', name: 'api' }));
  t.like(error, { code: 'not_found' });
  t.is(error.message, `there is no Deployment "api" in namespace ${namespace}; there are: web`);
});

for (const name of ['../secrets/keys', 'web/status', 'a%2Fb', '..', 'web\u001b[2J']) {
  test(`a name that is not one segment of a path, or does not exist, is refused: ${JSON.stringify(name)}`, async (t) => {
    const world = newWorld(t);
    const error = await t.throwsAsync(getObject(world.context(), { namespace: 'default', kind: 'secret', name }));
    t.regex(String((error as { code?: string }).code), /^(invalid_name|not_found)$/);
  });
}

test('a kind that does not exist gets an error with similar ones, and a subresource is not a kind', async (t) => {
  const world = newWorld(t);
  const get = (kind: string) => getObject(world.context(), { namespace: 'default', kind, name: 'x' });
  await t.throwsAsync(get('depoyments'), { code: 'unknown_kind', message: /similar name: deployments/ });
  for (const kind of ['deployments/scale', 'pods/log', 'serviceaccounts/token', '', '.', 'deployments.', '__proto__']) {
    await t.throwsAsync(get(kind), { code: 'unknown_kind' }, kind);
  }
});

const served = (apiVersion: string, kind: string, resource: string, ...aliases: string[]): ServedKind => {
  return { apiVersion, kind, resource, namespaced: true, aliases };
};

test('a kind of Kubernetes precedes another one, and one of several others has to be named', async (t) => {
  const kinds = [
    served('v1', 'Service', 'services', 'service', 'svc'),
    served('serving.knative.dev/v1', 'Service', 'services', 'kservice'),
    served('a.example/v2', 'Thing', 'things'),
    served('a.example/v1', 'Thing', 'things'),
    served('b.example/v1', 'Thing', 'things'),
  ];
  const find = (kind: string, apiVersion?: string) =>
    servedKindOf(
      { cluster: { servedKinds: () => Promise.resolve(kinds) } },
      { kind, ...(apiVersion !== undefined && { apiVersion }) },
      never,
    );
  t.is((await find('service')).apiVersion, 'v1');
  t.is((await find('Services.Serving.knative.dev')).apiVersion, 'serving.knative.dev/v1');
  t.is((await find('service', 'serving.knative.dev/v1')).apiVersion, 'serving.knative.dev/v1');
  await t.throwsAsync(find('thing'), { code: 'bad_request', message: /things\.a\.example, things\.b\.example/ });
  t.is((await find('thing.a.example')).apiVersion, 'a.example/v2');
  t.is((await find('thing', 'a.example/v1')).apiVersion, 'a.example/v1');
});

test('lists pages that continue, and refuses those that do not exist', async (t) => {
  const names = Array.from({ length: 7 }, (_, index) => `c${index}`);
  const many = textChart(Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name)])));
  const world = newWorld(t, many);
  await world.install(many);
  const context = world.context();
  const request = { kind: 'cm', namespace: world.namespace, max: 3 };
  const seen: string[] = [];
  let next: string | undefined;
  do {
    const page = await listObjects(context, { ...request, ...(next !== undefined && { continue: next }) });
    t.true(page.objects.length <= 3);
    seen.push(...page.objects.map(({ object }) => object.metadata.name));
    next = page.next;
  } while (next !== undefined);
  t.deepEqual(seen.slice(0, names.length), names);
  await t.throwsAsync(listObjects(context, { ...request, continue: 'forged' }), { code: 'bad_request' });
});

for (const selector of ['a=b=c', 'app in (', '!', '=', '\u0000']) {
  test(`a selector that cannot be read is refused: ${JSON.stringify(selector.slice(0, 10))}`, async (t) => {
    const world = newWorld(t);
    await t.throwsAsync(listObjects(world.context(), { kind: 'pods', selector }), { code: 'bad_request' });
  });
}

test('nothing shows the namespace of the agent', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const cluster = guardedCluster(world.cluster, namespace, 'not here');
  const context = world.context({ cluster });
  const refused = { code: 'forbidden' };
  await t.throwsAsync(getObject(context, { namespace, kind: 'secret', name: 'keys' }), refused);
  await t.throwsAsync(describeObject(context, { namespace, kind: 'secret', name: 'keys' }), refused);
  await t.throwsAsync(listObjects(context, { namespace, kind: 'secret' }), refused);
  await t.throwsAsync(listEvents(context, { namespace }), refused);
  const all = await listObjects(context, { kind: 'secret', max: 1000 });
  t.false(all.objects.some(({ object }) => object.metadata.namespace === namespace));
  const byField = await listObjects(context, { kind: 'secret', fieldSelector: `metadata.namespace=${namespace}` });
  t.deepEqual(byField.objects, []);
});

test('lists the events of a release, of an object and of a namespace', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const context = world.context();
  const event = (name: string, kind: string, about: string, type = 'Normal') =>
    world.cluster.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { kind, name: about, namespace, apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1' },
      type,
      reason: 'Tested',
      message: `uses ${password}\u001b[2J`,
      lastTimestamp: '2030-01-01T00:00:00Z',
    });
  await event('of-web', 'Deployment', 'web');
  await event('of-other', 'ConfigMap', 'other', 'Warning');
  const reasons = async (request: Partial<Parameters<typeof listEvents>[1]>) => {
    const { events } = await listEvents(context, { namespace, ...request });
    return events.filter(({ reason }) => reason === 'Tested').map(({ object }) => object);
  };
  t.deepEqual((await reasons({})).sort(), ['ConfigMap/other', 'Deployment/web']);
  t.deepEqual(await reasons({ releaseName }), ['Deployment/web']);
  t.deepEqual(await reasons({ kind: 'deploy', name: 'web' }), ['Deployment/web']);
  t.deepEqual(await reasons({ warnings: true }), ['ConfigMap/other']);
  const { events } = await listEvents(context, { namespace, releaseName });
  t.false(JSON.stringify(events).includes(password));
  await t.throwsAsync(listEvents(context, { namespace, releaseName, name: 'x' }), { code: 'bad_payload' });
  await t.throwsAsync(listEvents(context, { namespace, releaseName: 'no' }), { code: 'release_not_found' });
});

test('of 100,000 events the newest are kept, in pages', async (t) => {
  let pages = 0;
  const listPage = (): Promise<ObjectPage> => {
    const objects = Array.from({ length: 500 }, (_, index) => {
      const time = new Date((pages * 7919 + index) % 100_003).toISOString();
      const name = `e${randomBytes(4).toString('hex')}`;
      return { apiVersion: 'v1', kind: 'Event', metadata: { name, creationTimestamp: time } };
    });
    pages += 1;
    return Promise.resolve({ objects, ...(pages < 200 && { next: String(pages) }) });
  };
  const { events, omitted, isIncomplete } = await newestEvents(
    { listPage },
    { namespace: 'x', most: 20, isWanted: () => true },
    never,
  );
  t.is(events.length, 20);
  t.is(omitted, 99_980);
  t.false(isIncomplete);
  t.true((events.at(-1)?.metadata.creationTimestamp ?? '') >= (events[0]?.metadata.creationTimestamp ?? ''));
});

test('events that never end are read up to a limit', async (t) => {
  let pages = 0;
  const listPage = () => Promise.resolve({ objects: [], next: String((pages += 1)) });
  const { isIncomplete } = await newestEvents({ listPage }, { namespace: 'x', most: 1, isWanted: () => true }, never);
  t.true(isIncomplete);
  t.true(pages <= 400);
});

test('shows the cluster without what the agent may not read', async (t) => {
  const world = newWorld(t);
  const cluster: Cluster = {
    ...world.cluster,
    list: (query, signal) =>
      query.kind === 'Node'
        ? Promise.reject(Object.assign(new Error('nodes is forbidden'), { code: 'forbidden' }))
        : world.cluster.list(query, signal),
  };
  const info = await clusterInfo(world.context({ cluster }), { namespace: 'default' });
  t.regex(info.version, /^v1\./);
  t.is(info.nodes, undefined);
  t.true(info.namespaces?.includes('default'));
  t.true(info.kinds.some(({ kind, apiVersion }) => kind === 'Deployment' && apiVersion === 'apps/v1'));
  t.true(info.missing?.includes('nodes is forbidden'));
});
