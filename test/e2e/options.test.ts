import test from 'ava';
import { fileURLToPath } from 'node:url';
import { useHarness } from './harness.ts';
import type { Ended } from './helm.ts';
import { kubeconfigText } from './real-cluster.ts';
import { newTwins } from './twins.ts';
import { wantedDifferences, wantedInErrors, wantedInOutput } from './wanted-differences.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

/** Verbs whose defaults differ from those of helm. */
const safeVerbs = new Set(['install', 'upgrade', 'rollback', 'uninstall']);

/** Returns what a command printed, without what differs in each run. */
function printed({ stdout }: Ended, namespace: string): string {
  const stable = stdout
    .replaceAll(namespace, 'NAMESPACE')
    .replace(/[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, 'TIME')
    .replace(/"(createdAt|modifiedAt)":"\d+"/g, '"$1":"TIME"')
    .replace(/^(LAST DEPLOYED|Last Started|Last Completed): .*$/gm, '$1: TIME')
    .replace(/"(first_deployed|last_deployed|started_at|completed_at)":"[^"]*"/g, '"$1":"TIME"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME');
  return wantedInOutput.reduce((text, { pattern }) => text.replace(pattern, ''), stable);
}

/** Returns the error, without what differs on purpose. */
function errorIn({ stderr }: Ended): string {
  const [, text = ''] = /^Error: (.*)/ms.exec(stderr) ?? [];
  return wantedInErrors.reduce((error, { pattern }) => error.replace(pattern, ''), text);
}

/**
 * Runs command lines by helm and by `ctl` on twin releases, and compares what they print, how they
 * end, and the objects and records that are left. `CHART` is the chart of the fixtures.
 */
const equal = test.macro({
  title: (name, ...lines: string[]) => name ?? lines.join('; '),
  async exec(t, ...lines: string[]) {
    const twins = newTwins(t, harness());
    for (const line of lines) {
      const [verb = '', ...words] = line.split(' ');
      const withChart = (chart: string) => words.map((word) => (word === 'CHART' ? chart : word));
      const ofHelm = await twins.helm(verb, ...withChart(`${charts}/options`));
      const defaults = safeVerbs.has(verb) ? ['--helm-defaults'] : [];
      const ofAgent = await twins.ctl(verb, ...withChart('options'), ...defaults);
      t.is(ofAgent.code, ofHelm.code, `${line}: ${ofHelm.stderr} ${ofAgent.stderr}`);
      t.is(printed(ofAgent, twins.agentNamespace), printed(ofHelm, twins.helmNamespace), line);
      if (ofHelm.code !== 0) t.is(errorIn(ofAgent), errorIn(ofHelm), line);
    }
    const found = await twins.differences();
    const isWanted = (difference: string) => wantedDifferences.some(({ starts }) => starts.test(difference));
    t.deepEqual(
      found.filter((difference) => !isWanted(difference)),
      [],
    );
  },
});

const install = 'install site CHART --create-namespace';

test(equal, `${install} --set size=1000000,list={1,a},text=0x`);
test(equal, `${install} --set-json nested={"changed":[1,{"a":null}]} --set-string size=5 --skip-schema-validation`);
test(equal, `${install} --set-literal greeting=a,b=c --set drop=null`);
test(equal, `${install} --set size=3000000`);
test(equal, install, 'upgrade site CHART --set size=7', 'upgrade site CHART');
test(equal, `${install} --set greeting=a,size=2`, 'upgrade site CHART --set size=7 --reuse-values');
test(equal, `${install} --set greeting=a,size=2`, 'upgrade site CHART --set size=7 --reset-then-reuse-values');
test(equal, `${install} --set greeting=a,size=2`, 'upgrade site CHART --set size=7 --reset-values --reuse-values');
test(equal, `${install} --set greeting=a`, 'upgrade site CHART --reset-values');
test(equal, `${install} --set greeting=a`, 'upgrade site CHART --set drop=null --reset-then-reuse-values');
test(equal, install, 'upgrade site CHART --reuse-values --set nested.changed=b', 'upgrade site CHART --reuse-values');
test(equal, `${install} -l team=a,tier=b`, 'upgrade site CHART -l tier=null,stage=c', 'rollback site 1');
test(equal, `${install} -l owner=me`);
test(equal, install, 'upgrade site CHART -l status=x');
test(equal, `${install} --hide-notes --description text`);
test(equal, `${install} --hide-secret`);
test(equal, 'install site CHART --dry-run=client --hide-secret', 'install site CHART --dry-run=client');
test(equal, install, 'upgrade site CHART --dry-run=client', 'upgrade site CHART --dry-run=server --hide-secret');
test(equal, install, 'install site CHART');
test(equal, install, 'uninstall site --keep-history', 'install site CHART', 'install site CHART --replace');
test(equal, install, 'uninstall site --keep-history', 'upgrade site CHART --install');
test(equal, 'upgrade site CHART --install --create-namespace', 'upgrade site CHART --install');
test(equal, 'upgrade site CHART');
test(equal, install, 'uninstall site --dry-run', 'uninstall site --keep-history --description bye', 'uninstall site');
test(equal, 'uninstall site', 'uninstall site --ignore-not-found');
test(equal, install, 'uninstall site --cascade foreground --wait --no-hooks');
test(equal, install, 'uninstall site --keep-history', 'uninstall site --keep-history');
test(equal, 'install CHART', 'install -g site CHART', 'uninstall site --cascade none');
test(equal, 'install --name-template si{{`te`}} CHART --create-namespace', 'status site --revision 2');
test(equal, install, 'upgrade site CHART', 'rollback site --dry-run=client', 'rollback site 9', 'rollback site');
test(equal, `${install} --set tests.enabled=true`, 'test site', 'get hooks site');
test(equal, `${install} --set tests.enabled=true`, 'test site --filter name=site-second --logs');
test(equal, `${install} --set tests.enabled=true`, 'test site --filter !name=site-first');
test(equal, install, 'test site', 'test none');
test(equal, `${install} --no-hooks --wait=hookOnly --timeout 30s`, 'upgrade site CHART --wait=legacy --wait-for-jobs');
test(equal, `${install} --wait=true`, 'upgrade site CHART --wait=false --rollback-on-failure=false');
test(equal, `${install} --wait=other`);
test(equal, `${install} --dry-run=other`);
test(equal, `${install} --server-side=false`, 'upgrade site CHART --set size=2', 'rollback site');
test(equal, `${install} --disable-openapi-validation --devel`, 'upgrade site CHART --install -o json');
test(equal, install, 'upgrade site CHART --history-max 2', 'upgrade site CHART --history-max 2', 'history site');
test(equal, `${install} -l a=1`, 'list -l a=1 -q', 'list -l a!=1 -q', 'get metadata site -o json');
test(equal, install, 'upgrade site CHART --set size=9000000', 'history site --max 1', 'get values site -o json');
test(equal, install, 'uninstall site --keep-history', 'list -q', 'list -q --uninstalled', 'rollback site 1');
test(equal, install, 'uninstall site none', 'uninstall none site');
test(
  equal,
  install,
  'upgrade site CHART --set-json {"size":5} --set-string size=6 --set size=7',
  'get values site --all',
);
test(
  equal,
  'install Bad_Name CHART',
  'upgrade Bad_Name CHART',
  'rollback Bad_Name',
  'uninstall Bad_Name',
  'test Bad_Name',
);
test(equal, install, 'upgrade site CHART --create-namespace --description x', 'rollback site 1 --history-max 1');

test('adds the notes of subcharts, in an order that does not change', async (t) => {
  const twins = newTwins(t, harness());
  const flags = ['--create-namespace', '--render-subchart-notes'];
  const ofHelm = await twins.helm('install', 'site', `${charts}/options`, ...flags);
  const ofAgent = await twins.ctl('install', 'site', 'options', ...flags, '--helm-defaults');
  t.regex(ofAgent.stdout, /NOTES:\nNotes of the child\.\n\nSize 1\.\n$/);
  const lines = (ended: Ended, namespace: string) => printed(ended, namespace).split('\n').sort();
  t.deepEqual(lines(ofAgent, twins.agentNamespace), lines(ofHelm, twins.helmNamespace));
});

test('a test that fails is stored and printed as by helm', async (t) => {
  const twins = newTwins(t, harness());
  const flags = ['--create-namespace', '--set', 'tests.enabled=true,tests.args={fail}'];
  await twins.helm('install', 'site', `${charts}/options`, ...flags);
  await twins.ctl('install', 'site', 'options', ...flags, '--helm-defaults');
  const ofHelm = await twins.helm('test', 'site');
  const ofAgent = await twins.ctl('test', 'site');
  t.deepEqual([ofAgent.code, ofHelm.code], [1, 1]);
  t.is(printed(ofAgent, twins.agentNamespace), printed(ofHelm, twins.helmNamespace));
  t.regex(ofAgent.stderr, /site-first/); // the reason is more precise here
  const found = await twins.differences();
  t.deepEqual(
    found.filter((difference) => !wantedDifferences.some(({ starts }) => starts.test(difference))),
    [],
  );
});

test('template prints what helm template prints with the cluster', async (t) => {
  const twins = newTwins(t, harness());
  for (const flags of [
    ['--is-upgrade', '--set', 'size=2'],
    ['--skip-tests', '--set', 'tests.enabled=true'],
    ['--no-hooks'],
  ]) {
    const ofHelm = await twins.helm('template', 'site', `${charts}/options`, '--dry-run=server', ...flags);
    const ofAgent = await twins.ctl('template', 'site', 'options', ...flags);
    t.is(ofAgent.code, 0, ofAgent.stderr);
    t.is(printed(ofAgent, twins.agentNamespace), printed(ofHelm, twins.helmNamespace));
  }
});

test('diff shows what an upgrade changes and what has drifted, and no secrets', async (t) => {
  const { plane, agentId, cluster } = harness();
  const twins = newTwins(t, harness());
  const { agentNamespace: namespace } = twins;
  const name = { releaseName: 'site', namespace, chartName: 'options' };
  await plane.install(agentId, name).result;
  const set = [{ kind: 'set' as const, text: 'greeting=sentinel' }];
  const stored = await plane.diff(agentId, { ...name, set }).result;
  t.like(stored, { ok: true, unchanged: 1 });
  const text = JSON.stringify(stored);
  t.regex(text, /"path":"stringData.greeting","before":"\*\*\*","after":"\*\*\*"/);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'site-child' };
  await cluster.mergePatch(ref, { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  const live = await plane.diff(agentId, { ...name, against: 'live' }).result;
  const differences = live.ok ? live.differences.filter(({ name: object }) => object === 'site-child') : [];
  t.like(differences, { length: 1, 0: { change: 'changed' } });
});

test('a cancelled installation is uninstalled, and its result is cancelled', async (t) => {
  const { plane, agentId } = harness();
  const twins = newTwins(t, harness());
  const { agentNamespace: namespace } = twins;
  const values = '{deployment: true, image: "localhost/missing:1"}';
  const installation = plane.install(agentId, { releaseName: 'site', namespace, chartName: 'verbs', values });
  for await (const event of installation) {
    if (event.type !== 'status' || event.payload.step !== 'wait') continue;
    t.like(await plane.cancel(agentId, { key: installation.key }).result, { ok: true, cancelled: true });
    break;
  }
  t.like(await installation.result, { ok: false, error: { code: 'cancelled' } });
  t.deepEqual(await plane.list(agentId, { namespace }).result, { ok: true, releases: [] });
  t.like(await plane.cancel(agentId, { key: installation.key }).result, { cancelled: false });
});
