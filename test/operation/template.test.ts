import { template } from '../../src/operation/template.ts';
import { configMap, hook, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, stepEnds } from './world.ts';

const test = sandboxTest();

test('returns manifests and hooks as helm template prints them, and changes nothing', async (t) => {
  const files = {
    'a.yaml': configMap('a'),
    'h.yaml': job('h', { annotations: hook('pre-install') }),
    't.yaml': job('t', { annotations: hook('test') }),
  };
  const chart = textChart(files, { notes: 'Hi' });
  const world = newWorld(t, chart);
  const render = (request: object) =>
    template(world.context(), {
      namespace: world.namespace,
      releaseName,
      loadChart: () => Promise.resolve(chart.chart),
      ...request,
    });
  const sources = async (request: object) =>
    [...(await render(request)).manifest.matchAll(/# Source: (.*)/g)].map(([, path]) => path);
  t.deepEqual(await sources({}), ['web/templates/a.yaml', 'web/templates/h.yaml', 'web/templates/t.yaml']);
  t.deepEqual(await sources({ skipTests: true }), ['web/templates/a.yaml', 'web/templates/h.yaml']);
  t.deepEqual(await sources({ noHooks: true }), ['web/templates/a.yaml']);
  const { manifest, notes } = await render({});
  t.is(notes, 'Hi');
  t.regex(manifest, /^---\n# Source: /);
  t.deepEqual(await world.history(), []);
  t.deepEqual(stepEnds(world.progress).slice(0, 3), ['load:done', 'capabilities:done', 'render:done']);
});

test('lets templates resolve host names with enableDns only', async (t) => {
  const chart = textChart(async ({ resolveHost }) => ({
    'a.yaml': configMap('a', (await resolveHost?.('web.example'))?.join(' ') ?? 'none'),
  }));
  const world = newWorld(t, chart);
  const resolveHost = (name: string) => Promise.resolve([`address of ${name}`]);
  const rendered = async (enableDns: boolean) => {
    const request = { namespace: world.namespace, releaseName, loadChart: () => Promise.resolve(chart.chart) };
    return (await template(world.context({ resolveHost }), { ...request, enableDns })).manifest;
  };
  t.regex(await rendered(true), /address of web\.example/);
  t.regex(await rendered(false), /none/);
  const { manifest } = await world.install(chart, { enableDns: true, dryRun: true, offline: true }, { resolveHost });
  t.regex(manifest, /address of web\.example/);
});
