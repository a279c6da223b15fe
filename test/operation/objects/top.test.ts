import type { Cluster } from '../../../src/objects/cluster.ts';
import { stringAt } from '../../../src/objects/fields.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import { top } from '../../../src/operation/objects/top.ts';
import { eventually } from '../../support/eventually.ts';
import { metricsKinds } from '../metrics-kinds.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();
const never = new AbortController().signal;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: app}]}
`;
const chart = textChart({ 'web.yaml': deployment });

const metricsOf = (name: string, usage: unknown, namespace?: string): KubeObject => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: namespace === undefined ? 'NodeMetrics' : 'PodMetrics',
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...(namespace === undefined ? { usage } : { containers: usage }),
});

/** A context whose cluster has the metrics API, with these objects in it. */
function measured(world: World, metrics: readonly unknown[], overrides: Partial<Cluster> = {}): OperationContext {
  const served = (['NodeMetrics', 'PodMetrics'] as const).map((kind) => ({
    ...{ apiVersion: 'metrics.k8s.io/v1beta1', kind, aliases: [] },
    ...(kind === 'NodeMetrics' ? { resource: 'nodes', namespaced: false } : { resource: 'pods', namespaced: true }),
  }));
  const cluster: Cluster = {
    ...world.cluster,
    servedKinds: async (signal) => [...(await world.cluster.servedKinds(signal)), ...served],
    list: async (query, signal) =>
      query.apiVersion === 'metrics.k8s.io/v1beta1'
        ? (metrics as KubeObject[]) // as an API service may answer
        : await world.cluster.list(query, signal),
    ...overrides,
  };
  return world.context({ cluster });
}

const one = (cpu: unknown, memory: unknown, name = 'app') => ({ name, usage: { cpu, memory } });

test.serial('a cluster without the metrics API gets an error that says what to install', async (t) => {
  const world = newWorld(t);
  for (const kind of ['pods', 'nodes'] as const) {
    await t.throwsAsync(top(world.context(), { kind }), {
      code: 'unsupported',
      message: /does not serve the metrics API \(metrics\.k8s\.io\); install metrics-server/,
    });
  }
});

test.serial('returns what the API server lists, by namespace and selector', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace, cluster } = world;
  for (const kind of metricsKinds) await cluster.create(kind);
  await eventually('the kinds are served', async () => {
    const kinds = await cluster.servedKinds(never);
    return metricsKinds.every(({ spec }) => kinds.some(({ kind }) => kind === stringAt(spec, 'names', 'kind')));
  });
  const metrics = { ...metricsOf('web-1', [one('250m', '64Mi'), one('1500000n', '1Ki', 'side')], namespace) };
  await cluster.create({ ...metrics, metadata: { ...metrics.metadata, labels: { app: 'web' } } });
  await cluster.create(metricsOf('other', [one('1', '1Gi')], namespace));
  const { usage } = await top(world.context(), { kind: 'pods', namespace, selector: 'app=web' });
  t.deepEqual(usage, [
    {
      ...{ namespace, name: 'web-1', millicores: 252, memoryBytes: 64 * 2 ** 20 + 1024 },
      containers: [
        { name: 'app', millicores: 250, memoryBytes: 64 * 2 ** 20 },
        { name: 'side', millicores: 2, memoryBytes: 1024 },
      ],
    },
  ]);
  const names = async (sortBy: 'name' | 'cpu') =>
    (await top(world.context(), { kind: 'po', namespace, sortBy })).usage.map(({ name }) => name);
  t.deepEqual(await names('cpu'), ['other', 'web-1']);
  await cluster.create(metricsOf('node-1', { cpu: '2', memory: '4Gi' }));
  const nodes = await top(world.context(), { kind: 'nodes' });
  t.like(nodes.usage, [{ name: 'node-1', millicores: 2000, memoryBytes: 4 * 2 ** 30 }]);
});

test('of a release only its pods are shown, and those without metrics are named', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { namespace } = world;
  const pods = await world.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
  const [first = '', second = ''] = pods.map(({ metadata }) => metadata.name);
  const metrics = [metricsOf(first, [one('1m', '1Mi')], namespace), metricsOf('other', [one('1', '1Gi')], namespace)];
  const answer = await top(measured(world, metrics), { kind: 'pods', namespace, releaseName });
  t.deepEqual(
    answer.usage.map(({ name }) => name),
    [first],
  );
  t.deepEqual(answer.missing, [`Pod ${second} has no metrics yet`]);
});

test('fields that do not fit together are refused before anything is read', async (t) => {
  const world = newWorld(t);
  const context = world.context();
  const { namespace } = world;
  const refuses = (request: Parameters<typeof top>[1], code: string, message: RegExp) =>
    t.throwsAsync(top(context, request), { code, message });
  await refuses({ kind: 'nodes', namespace, releaseName }, 'bad_payload', /nodes belong to no release/);
  await refuses({ kind: 'pods', releaseName }, 'bad_payload', /namespace: name that of the release/);
  await refuses({ kind: 'pods', namespace, releaseName, selector: 'a=b' }, 'bad_payload', /selector: give either/);
  await refuses({ kind: 'pods', selector: 'a=b=c' }, 'bad_request', /a=b=c/);
  await refuses({ kind: 'pods', namespace: '../x' }, 'invalid_namespace', /invalid namespace/);
});

test('usage that is not a quantity is unknown', async (t) => {
  const world = newWorld(t);
  const odd = ['', 'lots', '-5', '1e999', 5, null, {}, [], '9'.repeat(1_000_000)];
  const metrics = odd.map((value, index) => metricsOf(`p${index}`, [one(value, value)], 'shop'));
  const { usage } = await top(measured(world, metrics), { kind: 'pods' });
  t.is(usage.length, odd.length);
  for (const { millicores, memoryBytes } of usage) t.deepEqual([millicores, memoryBytes], [undefined, undefined]);
});

test('metrics of other shapes, and nodes that may not be read, do not fail the command', async (t) => {
  const world = newWorld(t);
  const shapes = [{}, { containers: 'x' }, { containers: [null, 5, [], { name: 7, usage: [] }] }, { usage: null }];
  const metrics = shapes.map((shape, index) => ({ metadata: { name: `p${index}`, namespace: 'shop' }, ...shape }));
  const { usage } = await top(measured(world, metrics), { kind: 'pods' });
  t.is(usage.length, shapes.length);
  const many = [
    metricsOf(
      'wide',
      Array.from({ length: 5000 }, () => one('1m', '1Mi', 'n'.repeat(5000))),
      'shop',
    ),
  ];
  const [wide] = (await top(measured(world, many), { kind: 'pods' })).usage;
  t.is(wide?.containers?.length, 100);
  t.is(wide?.containers?.[0]?.name.length, 253);
  const refused = measured(world, [metricsOf('a', { cpu: '1', memory: '1Gi' })], {
    list: (query) =>
      query.kind === 'Node'
        ? Promise.reject(Object.assign(new Error('nodes is forbidden'), { code: 'forbidden' }))
        : Promise.resolve([metricsOf('a', { cpu: '1', memory: '1Gi' })]),
  });
  const nodes = await top(refused, { kind: 'nodes' });
  t.deepEqual(nodes, {
    usage: [{ name: 'a', millicores: 1000, memoryBytes: 2 ** 30 }],
    missing: ['nodes is forbidden'],
  });
});

test('of 100,000 pods the largest are returned, and the others are counted', async (t) => {
  const world = newWorld(t);
  const metrics = Array.from({ length: 100_000 }, (_, index) =>
    metricsOf(`p${index}`, [one(`${(index * 7919) % 100_003}n`, '1Mi')], 'shop'),
  );
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  const { usage, omitted } = await top(measured(world, metrics), { kind: 'pods', sortBy: 'cpu', max: 3 });
  clearInterval(counting);
  t.true(turns > 20, `others had ${turns} turns in the meantime`);
  t.is(usage.length, 3);
  t.is(omitted, 99_997);
  t.true((usage[0]?.millicores ?? 0) >= (usage[2]?.millicores ?? 0));
});
