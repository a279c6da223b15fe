import type { ExecutionContext } from 'ava';
import { chartLoader } from '../../src/agent/commands/chart-loader.ts';
import { operation as installOperation } from '../../src/operation/install.ts';
import { applyPlan } from '../../src/operation/plan/apply-plan.ts';
import { plan } from '../../src/operation/plan/plan.ts';
import { memoryPlans } from '../../src/operation/plan/plans.ts';
import { template } from '../../src/operation/template.ts';
import { plainObject } from '../../src/release/plain-value.ts';
import { seal, type SealedPlace } from '../../src/sealing/sealed-text.ts';
import { SealingKeys } from '../../src/sealing/sealing-keys.ts';
import { realHost } from '../support/host.ts';
import { configMap } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from './world.ts';

const test = sandboxTest();

const password = 'hunter2-of-a-sealed-text';
const agentId = 'edge-1';

/** Puts its values into a ConfigMap, where nothing says that they are secret. */
const showing = textChart(({ values }) => ({ 'a.yaml': configMap('a', JSON.stringify(plainObject(values))) }));

function keysOf(): SealingKeys {
  const kept: { text?: string } = {};
  return new SealingKeys({
    agentId,
    store: {
      name: 'memory',
      read: () => Promise.resolve(kept.text === undefined ? undefined : { text: kept.text, version: '1' }),
      write(text) {
        kept.text = text;
        return Promise.resolve(true);
      },
    },
    now: () => 0,
  });
}

async function worldWith(t: Parameters<typeof newWorld>[0]) {
  const world = newWorld(t, showing);
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.namespace } });
  const sealing = keysOf();
  const { key } = await sealing.publicKey();
  const sealTo = (text: string, place: Partial<SealedPlace> = {}) =>
    seal(text, key, { ...{ agentId, namespace: world.namespace, releaseName, purpose: 'values' as const }, ...place });
  return { world, sealing, sealTo };
}

async function refused(t: ExecutionContext, world: World, run: Parameters<World['install']>, expected: object) {
  const error = await t.throwsAsync(world.install(...run), expected as { code: string });
  t.false(error.message.includes(password));
  t.deepEqual(await world.history(), []);
}

test('opens sealed values over those of the cluster, and under those of the command', async (t) => {
  const { world, sealing, sealTo } = await worldWith(t);
  const data = { 'values.yaml': 'a: 1\nb: 1\nc: 1\nd: 1' };
  const metadata = { namespace: world.namespace, name: 'settings' };
  await world.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  const { config, secret_values } = await world.install(
    showing,
    {
      valuesFrom: [{ kind: 'ConfigMap', name: 'settings' }],
      sealedValues: [await sealTo('b: 2\nc: 2\nd: 2'), await sealTo('c: 3\nd: 3')],
      values: 'd: 4',
    },
    { sealing },
  );
  t.deepEqual(config, { a: 1, b: 2, c: 3, d: 4 });
  t.deepEqual([...(secret_values ?? [])].sort(), ['/b', '/c', '/d']);
  const upgraded = await world.upgrade(showing);
  t.deepEqual([upgraded.config, upgraded.secret_values], [config, secret_values]);
});

test('sealed values of another release, namespace, agent or purpose are refused before anything changes', async (t) => {
  const { world, sealing, sealTo } = await worldWith(t);
  const text = `db: ${password}`;
  const places = [
    { releaseName: 'other' },
    { namespace: 'other' },
    { agentId: 'edge-2' },
    { purpose: 'credentials' as const },
  ];
  for (const place of places) {
    const given = await sealTo(text, place);
    const renamed = { ...given, agentId, namespace: world.namespace, releaseName, purpose: 'values' as const };
    for (const sealed of [given, renamed]) {
      await refused(t, world, [showing, { sealedValues: [sealed] }, { sealing }], {
        code: 'sealed_invalid',
        message: /^sealedValues\[0\]: it /,
      });
    }
  }
  const given = await sealTo(text);
  await refused(t, world, [showing, { sealedValues: [given] }, { sealing: keysOf() }], { code: 'sealed_invalid' });
  await refused(t, world, [showing, { sealedValues: [given] }], { code: 'bad_payload' });
});

/** Returns values of which each has the one before nine times. */
function aliasBomb(): string {
  const lines = Array.from({ length: 15 }, (_, index) => {
    const before = Array.from({ length: 9 }, () => (index === 0 ? password : `*v${index - 1}`));
    return `v${index}: &v${index} [${before.join(', ')}]`;
  });
  return lines.join('\n');
}

test('what is in a sealed text is bounded, and errors about it do not quote it', async (t) => {
  const { world, sealing, sealTo } = await worldWith(t);
  const wrong = {
    list: `[${password}]`,
    broken: `a: 1\n{${password}`,
    deep: `a: ${'['.repeat(100_000)}${password}`,
    aliases: aliasBomb(),
  };
  for (const [name, text] of Object.entries(wrong)) {
    const run = world.install(showing, { sealedValues: [await sealTo(text)] }, { sealing });
    const error = await t.throwsAsync(run, undefined, name);
    t.false(error.message.includes(password), name);
    t.deepEqual(await world.history(), [], name);
  }
  const half = await sealTo('x: '.padEnd(3 * 1024 * 1024, 'y'));
  await refused(t, world, [showing, { sealedValues: [half, half] }, { sealing }], { code: 'too_large' });
});

test('results and plans mask sealed values, and an applied plan has them', async (t) => {
  const { world, sealing, sealTo } = await worldWith(t);
  const context = world.context({ sealing });
  const sealedValues = [await sealTo(`db: { password: ${password} }`)];
  const request = {
    ...{ namespace: world.namespace, releaseName, timeout: 55_000, sealedValues },
    loadChart: () => Promise.resolve(showing.chart),
  };
  const plans = memoryPlans(realHost);
  const entry = await plan(context, { plans, operation: { verb: 'install', request } });
  t.false('sealedValues' in entry.content.request);
  const payload = { namespace: world.namespace, releaseName, chartName: 'web', replace: true, sealedValues };
  const perform = {
    ...context,
    plans,
    chartAt: () => () => Promise.resolve(showing.chart),
    tillerRecords: () => t.fail(),
  };
  const answers = [
    { ...entry.content, release: undefined },
    await template(context, request),
    await installOperation.perform({ ...payload, dryRun: 'server' as const }, perform),
  ];
  await applyPlan(world.context(), { plans, plan: entry.id });
  t.true(JSON.stringify(await world.find('ConfigMap', 'a')).includes(password));
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    t.false(text.includes(password), text);
    t.true(text.includes('***'), text);
  }
});

test('sealed credentials are used for their release and their hosts only', async (t) => {
  const { world, sealing, sealTo } = await worldWith(t);
  const loaded: object[] = [];
  const chartAt = chartLoader({
    source: {
      load(request) {
        loaded.push(request);
        return Promise.resolve(showing.chart);
      },
    },
    sealing,
  });
  const content = { hosts: 'ghcr.io/team', username: 'ci', password };
  const purpose = 'credentials' as const;
  const sealedCredentials = await sealTo(JSON.stringify(content), { purpose });
  const place = { namespace: world.namespace, releaseName, chartName: 'oci://ghcr.io/team/web', sealedCredentials };
  const { signal } = new AbortController();
  await chartAt(place)(signal);
  t.like(loaded[0], { username: 'ci', password, credentialPaths: ['/team'] });

  const cases: [object, RegExp][] = [
    [
      { ...place, chartName: 'oci://evil.example/team/web' },
      /is not for evil\.example; add evil\.example to its hosts/,
    ],
    [{ ...place, chartName: 'oci://ghcr.io/evil/web' }, /is not for ghcr\.io\/evil\/web/],
    [{ ...place, chartName: 'web' }, /has no repository or registry/],
    [{ ...place, releaseName: 'other' }, /sealed for the release/],
    [{ ...place, sealedCredentials: await sealTo('{}', { purpose }) }, /has no credentials/],
    [{ ...place, sealedCredentials: await sealTo('['.repeat(60_000), { purpose }) }, /has no credentials/],
    [{ ...place, sealedCredentials: await sealTo(' '.repeat(70_000), { purpose }) }, /has no credentials/],
    [{ ...place, sealedCredentials: await sealTo(`db: ${password}`) }, /sealed for the purpose values/],
  ];
  for (const [given, message] of cases) {
    const error = await t.throwsAsync(async () => await chartAt(given as typeof place)(signal), { message });
    t.false(error.message.includes(password));
  }
  t.throws(() => chartAt({ ...place, repoPassword: 'x' }), { code: 'bad_payload' });
  t.throws(() => chartAt({ ...place, credentialsFrom: { secret: 'x' } }), { code: 'bad_payload' });
  t.is(loaded.length, 1);
});
