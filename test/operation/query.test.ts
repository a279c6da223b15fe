import { deploymentInfo } from '../../src/operation/deployment-info.ts';
import { get } from '../../src/operation/get.ts';
import { list } from '../../src/operation/list.ts';
import { configMap, deployment } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest } from './world.ts';

const test = sandboxTest();
const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': deployment('web') });

test('lists the highest revision of releases in one namespace or in all', async (t) => {
  const world = newWorld(t, chart);
  const other = newWorld(t, chart);
  await world.install(chart, { wait: false });
  await world.upgrade(chart, { wait: false });
  await other.install(chart, { wait: false });
  const listed = async (namespace?: string) => {
    const { releases } = await list(world.context(), namespace === undefined ? {} : { namespace });
    return releases.map((release) => `${release.namespace}/${release.name}.v${release.version}`);
  };
  t.deepEqual(await listed(world.namespace), [`${world.namespace}/web.v2`]);
  const all = await listed();
  t.true(all.includes(`${world.namespace}/web.v2`) && all.includes(`${other.namespace}/web.v1`));
  t.false(all.includes(`${world.namespace}/web.v1`));
  t.deepEqual(all, [...all].sort());
});

test('returns the highest revision of a release or a given one', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { wait: false });
  await world.upgrade(chart, { wait: false });
  const name = { namespace: world.namespace, releaseName };
  t.is((await get(world.context(), name)).release.version, 2);
  t.is((await get(world.context(), { ...name, version: 1 })).release.info.status, 'superseded');
  const missing = { code: 'release_not_found', message: 'release: not found' };
  await t.throwsAsync(get(world.context(), { ...name, version: 3 }), missing);
  await t.throwsAsync(get(world.context(), { ...name, releaseName: 'missing' }), missing);
});

test('returns a Deployment of the cluster', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { wait: false });
  const { namespace } = world;
  const found = await deploymentInfo(world.context(), { namespace, deploymentName: 'web' });
  t.like(found, { kind: 'Deployment', metadata: { name: 'web', namespace } });
  const error = await t.throwsAsync(deploymentInfo(world.context(), { namespace, deploymentName: 'missing' }));
  t.like(error, { code: 'deployment_not_found', message: 'deployments.apps "missing" not found' });
});

test('refuses invalid names before it sends a request', async (t) => {
  const world = newWorld(t, chart);
  const context = world.context();
  const code = 'invalid_release_name';
  await t.throwsAsync(world.install(chart, { releaseName: 'Web' }), {
    code,
    message: /^release name check failed: release name "Web": invalid release name, must match regex /,
  });
  await t.throwsAsync(world.install(chart, { releaseName: '' }), {
    code,
    message: 'release name check failed: release name "": no name provided',
  });
  await t.throwsAsync(world.upgrade(chart, { releaseName: 'Web' }), { code, message: 'release name is invalid: Web' });
  await t.throwsAsync(world.uninstall({ releaseName: 'a,b' }), {
    code,
    message: 'uninstall: Release name is invalid: a,b',
  });
  await t.throwsAsync(get(context, { namespace: 'default', releaseName: '*' }), { code });
  await t.throwsAsync(world.install(chart, { namespace: 'No' }), { code: 'invalid_namespace' });
  await t.throwsAsync(list(context, { namespace: '../x' }), { code: 'invalid_namespace' });
});

for (const filter of ['a{0,1000}'.repeat(450), `(?:${'x'.repeat(4000)}){900}`]) {
  test(`refuses the filter ${filter.slice(0, 20)}… before it is compiled`, async (t) => {
    const world = newWorld(t);
    const start = process.cpuUsage();
    await t.throwsAsync(list(world.context(), { filter }), { code: 'bad_payload', message: /too complex/ });
    t.true(process.cpuUsage(start).user < 1e6);
  });
}

test('accepts a filter with counted repetitions', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart, { wait: false });
  const { namespace } = world;
  const found = async (filter: string) => (await list(world.context(), { namespace, filter })).releases.length;
  t.deepEqual([await found('^[a-z]{1,63}$'), await found('^w{2}')], [1, 0]);
});
