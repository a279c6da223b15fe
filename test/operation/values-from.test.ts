import type { ExecutionContext } from 'ava';
import type { Cluster } from '../../src/objects/cluster.ts';
import { diffRelease } from '../../src/operation/diff/diff-release.ts';
import { operation as getOperation } from '../../src/operation/get.ts';
import { operation as installOperation } from '../../src/operation/install.ts';
import { applyPlan } from '../../src/operation/plan/apply-plan.ts';
import { plan } from '../../src/operation/plan/plan.ts';
import { memoryPlans } from '../../src/operation/plan/plans.ts';
import type { InstallRequest } from '../../src/operation/request.ts';
import { template } from '../../src/operation/template.ts';
import { plainObject } from '../../src/release/plain-value.ts';
import { realHost } from '../support/host.ts';
import { configMap } from './manifests.ts';
import { type TextChart, textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();

const password = 'hunter2-of-a-secret';

/** Puts its values into a ConfigMap, where nothing says that they are secret. */
const showing = textChart(({ values }) => ({ 'a.yaml': configMap('a', JSON.stringify(plainObject(values))) }), {
  notes: `log in with ${password}`,
});

const fromSecret = [{ kind: 'Secret' as const, name: 'db' }];

async function createSecret({ cluster, namespace }: World, data: Record<string, string>, name = 'db') {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const metadata = { namespace, name };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) });
}

async function createConfigMap({ cluster, namespace }: World, data: Record<string, string>, name = 'settings') {
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data });
}

async function worldOf(t: Parameters<typeof newWorld>[0], chart: TextChart = showing): Promise<World> {
  const world = newWorld(t, chart);
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.namespace } });
  return world;
}

async function worldWith(t: Parameters<typeof newWorld>[0], chart: TextChart = showing): Promise<World> {
  const world = await worldOf(t, chart);
  await createSecret(world, { 'values.yaml': `db: {password: ${password}, port: 5432}\nreplicas: 2` });
  return world;
}

const requestOf = ({ namespace }: World, { chart }: TextChart) => ({
  ...{ namespace, releaseName, timeout: 55_000 },
  loadChart: () => Promise.resolve(chart),
});

async function refused(t: ExecutionContext, world: World, request: Partial<InstallRequest>, expected: object) {
  const error = await t.throwsAsync(world.install(showing, request), expected as { code: string });
  t.false(error.message.includes(password));
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  return error as (Error & { position?: object }) | undefined;
}

test('merges values of the cluster in their order, under those of the command', async (t) => {
  const world = await worldWith(t);
  await createConfigMap(world, { 'values.yaml': 'a: 1\nb: 1\nc: 1', other: 'b: 2\nc: 2', flag: 'true', quoted: '"7"' });
  const { config } = await world.install(showing, {
    valuesFrom: [
      { kind: 'ConfigMap', name: 'settings' },
      { kind: 'ConfigMap', name: 'settings', key: 'other' },
      { kind: 'ConfigMap', name: 'missing', optional: true },
      { kind: 'ConfigMap', name: 'settings', key: 'flag', targetPath: 'nested.flag' },
      { kind: 'ConfigMap', name: 'settings', key: 'quoted', targetPath: 'nested.list[1]' },
    ],
    values: 'c: 3\nd: 3',
    set: [{ kind: 'set', text: 'd=4' }],
  });
  t.deepEqual(config, { a: 1, b: 2, c: 3, d: 4, nested: { flag: true, list: [null, '7'] } });
});

test('a text at a path sets one value, whatever is in it', async (t) => {
  const world = await worldOf(t);
  const texts = ['a,admin=true', '{x,y}', 'back\\slash\\,', 'a=b', '', '\n', '0123', 'null,'];
  await createSecret(world, Object.fromEntries(texts.map((text, index) => [`k${index}`, text])));
  const valuesFrom = texts.map((_, index) => ({
    kind: 'Secret' as const,
    name: 'db',
    key: `k${index}`,
    targetPath: `v.k${index}`,
  }));
  const { config } = await world.install(showing, { valuesFrom });
  t.deepEqual(config, { v: Object.fromEntries(texts.map((text, index) => [`k${index}`, text])) });
});

test('an upgrade without values keeps those of the cluster, and what of them is secret', async (t) => {
  const world = await worldWith(t);
  await world.install(showing, { valuesFrom: fromSecret });
  const { config, secret_values } = await world.upgrade(showing);
  t.deepEqual(config, { db: { password, port: 5432 }, replicas: 2 });
  t.deepEqual([...(secret_values ?? [])].sort(), ['/db/password', '/db/port', '/replicas']);
  const rolledBack = await world.rollback({ version: 1 });
  t.deepEqual(rolledBack.secret_values, secret_values);
  const other = await world.upgrade(showing, { values: 'a: 1' });
  t.deepEqual(other.config, { a: 1 });
});

test('a missing object or key fails before anything changes, with its place in the command', async (t) => {
  const world = await worldWith(t);
  const missing = [...fromSecret, { kind: 'ConfigMap' as const, name: 'missing' }];
  const error = await refused(
    t,
    world,
    { valuesFrom: missing },
    { code: 'values_not_found', message: /^valuesFrom\[1\]: ConfigMap \S+\/missing does not exist; create it/ },
  );
  t.deepEqual(error?.position, { file: 'valuesFrom[1]' });
  await refused(
    t,
    world,
    // as in Flux, only the object is optional
    { valuesFrom: [{ kind: 'Secret', name: 'db', key: 'constructor', optional: true }] },
    { code: 'values_not_found', message: /has no key constructor, only: values\.yaml$/ },
  );
  await refused(t, world, { valuesFrom: [{ kind: 'Secret', name: '../db' }] }, { code: 'invalid_name' });
});

test('errors about values of a Secret do not quote them', async (t) => {
  const world = await worldWith(t);
  const texts = {
    list: `[${password}]`,
    broken: `a: 1\n{${password}`,
    deep: `${'['.repeat(9000)}${password}`,
    bytes: `\ufffd${password}`,
  };
  await createSecret(world, texts, 'wrong');
  for (const key of Object.keys(texts)) {
    const error = await refused(
      t,
      world,
      { valuesFrom: [{ kind: 'Secret', name: 'wrong', key }] },
      { code: 'values_invalid', message: /^valuesFrom\[0\]: / },
    );
    t.regex(JSON.stringify(error?.position), /valuesFrom\[0\]/);
  }
  const huge = 'x'.repeat(900 * 1024);
  await createConfigMap(world, { huge }, 'huge');
  const many = Array.from({ length: 5 }, () => ({ kind: 'ConfigMap' as const, name: 'huge', key: 'huge' }));
  await refused(t, world, { valuesFrom: many }, { code: 'too_large' });
});

test('a template that fails with a value of a Secret does not show it', async (t) => {
  const failing = textChart(() => {
    throw Object.assign(new Error(`the password ${password} is too weak`), { code: 'template_exec_failed' });
  });
  const world = await worldWith(t, failing);
  const expected = { code: 'template_exec_failed', message: /the password \*\*\* is too weak/ };
  await t.throwsAsync(world.install(failing, { valuesFrom: fromSecret }), expected);
  await t.throwsAsync(template(world.context(), { ...requestOf(world, failing), valuesFrom: fromSecret }), expected);
  await t.throwsAsync(diffRelease(world.context(), { ...requestOf(world, failing), valuesFrom: fromSecret }), expected);
});

test('reads the values with the rights of the operation', async (t) => {
  const world = await worldWith(t);
  const cluster: Cluster = {
    ...world.cluster,
    get: async (ref, signal) => {
      if (ref.kind === 'Secret') throw Object.assign(new Error('secrets "db" is forbidden'), { code: 'forbidden' });
      return await world.cluster.get(ref, signal);
    },
  };
  await t.throwsAsync(world.install(showing, { valuesFrom: fromSecret }, { cluster }), {
    code: 'forbidden',
    message: /^valuesFrom\[0\]: secrets "db" is forbidden/,
  });
  t.deepEqual(await world.history(), []);
});

test('what the API server says about an object, and the failed revision, do not show values of Secrets', async (t) => {
  const world = await worldWith(t);
  const cluster: Cluster = {
    ...world.cluster,
    apply: (object, options) => {
      options.onWarning?.(`unknown value ${password}`);
      const refusal = new Error(`admission webhook "policy" denied ${object.metadata.name}: ${password}`);
      return Promise.reject(Object.assign(refusal, { code: 'invalid' }));
    },
  };
  const error = await t.throwsAsync(
    world.install(showing, { valuesFrom: fromSecret, atomic: false, createNamespace: false }, { cluster }),
    { message: /denied a: \*\*\*/ },
  );
  t.false(error.message.includes(password));
  t.regex(JSON.stringify(world.progress), /unknown value \*\*\*/);
  t.false(JSON.stringify(world.progress).includes(password));
  const stored = await world.stored(1);
  t.regex(stored?.info.description ?? '', /denied a: \*\*\*/);
  t.false(stored?.info.description?.includes(password));
});

test('results, plans and differences mask values of Secrets, and the cluster has them', async (t) => {
  const world = await worldWith(t);
  const context = world.context();
  const request = { ...requestOf(world, showing), valuesFrom: fromSecret };
  const answers: object[] = [];

  const plans = memoryPlans(realHost);
  const entry = await plan(context, { plans, operation: { verb: 'install', request } });
  answers.push(
    { ...entry.content, release: undefined },
    await template(context, request),
    await diffRelease(context, { ...request, against: 'live' }),
  );
  await applyPlan(context, { plans, plan: entry.id });
  t.true(JSON.stringify(await world.find('ConfigMap', 'a')).includes(password));

  // a secret of the revision before is masked, too
  const next = { ...requestOf(world, showing), values: 'other: 1' };
  answers.push(await diffRelease(context, next));
  answers.push((await plan(context, { plans, operation: { verb: 'upgrade', request: next } })).content.differences);

  const payload = { namespace: world.namespace, releaseName };
  const perform = {
    ...context,
    plans,
    chartAt: () => () => Promise.resolve(showing.chart),
    tillerRecords: () => t.fail(),
  };
  const dryRun = { ...payload, chartName: 'web', dryRun: 'server' as const, replace: true, valuesFrom: fromSecret };
  answers.push(await installOperation.perform(dryRun, perform));
  const got = await getOperation.perform({ ...payload, allValues: true }, perform);
  answers.push(got);
  t.like(got, { values: { db: { password: '***', port: '***' } }, release: { config: { replicas: '***' } } });
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    t.false(text.includes(password), text);
    t.true(text.includes('***'), text);
  }
});

test('releases without such values are shown as they are', async (t) => {
  const world = newWorld(t, showing);
  await world.install(showing, { values: 'token: not-from-a-secret' });
  const got = await getOperation.perform({ namespace: world.namespace, releaseName }, world.context() as never);
  t.deepEqual(got.release.config, { token: 'not-from-a-secret' });
  t.false('secret_values' in got.release);
});
