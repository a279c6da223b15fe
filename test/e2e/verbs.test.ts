import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { eventually } from '../api/environment.ts';
import { useHarness } from './harness.ts';
import { type Ended, runHelm } from './helm.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { newTwins, releaseName, runCtl, type Twins } from './twins.ts';
import { wantedDifferences } from './wanted-differences.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

const wait = ['--wait', '--wait-for-jobs', '--timeout', '60s'];
const hooked = { hooks: { enabled: true } };

/** Installs the first revision and upgrades to the others, with helm and by packets. */
async function deployBoth(twins: Twins, ...revisions: object[]): Promise<void> {
  const { plane, agentId } = harness();
  for (const [index, values] of revisions.entries()) {
    const isFirst = index === 0;
    const helmVerb = isFirst ? ['install', '--create-namespace'] : ['upgrade'];
    const ended = await twins.helm(
      ...[...helmVerb, releaseName, `${charts}/verbs`, '--set-json', JSON.stringify(values)],
    );
    if (ended.code !== 0) throw new Error(ended.stderr);
    const identity = { releaseName, namespace: twins.agentNamespace, chartName: 'verbs' };
    const payload = { ...identity, values: JSON.stringify(values), wait: false };
    const command = isFirst ? plane.install(agentId, payload) : plane.upgrade(agentId, { ...payload, atomic: false });
    const { outcome, result } = await performed(command);
    if (outcome !== 'deployed') throw new Error(JSON.stringify(result));
  }
}

/** Compares objects and records. `allowed` are differences that this scenario expects. */
async function assertEqual(t: ExecutionContext, twins: Twins, ...allowed: RegExp[]): Promise<void> {
  const patterns = [...wantedDifferences.map(({ starts }) => starts), ...allowed];
  const found = await twins.differences();
  for (const pattern of allowed)
    t.true(
      found.some((difference) => pattern.test(difference)),
      pattern.source,
    );
  t.deepEqual(
    found.filter((difference) => !patterns.some((pattern) => pattern.test(difference))),
    [],
  );
}

test('rolls back to the previous revision as helm does', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { greeting: 'one', extra: true }, { greeting: 'two', size: 3 });
  const ofHelm = await twins.helm('rollback', releaseName, ...wait);
  const ofAgent = await twins.ctl('rollback', releaseName, '--timeout', '60s');
  t.is(ofAgent.code, 0, ofAgent.stderr);
  t.is(ofAgent.stdout, ofHelm.stdout);
  await assertEqual(t, twins);
});

test('rolls back to a revision with hooks, by packet', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, hooked, { greeting: 'two' }, { greeting: 'three' });
  t.is((await twins.helm('rollback', releaseName, '1', ...wait)).code, 0);
  const { plane, agentId } = harness();
  const rollback = plane.rollback(agentId, { releaseName, namespace: twins.agentNamespace, version: 1 });
  const { outcome, result } = await performed(rollback);
  t.is(outcome, 'deployed', JSON.stringify(result));
  await assertEqual(t, twins);
});

test('rolls back without hooks, with a history limit, and as a dry run', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, hooked, { greeting: 'two' }, { greeting: 'three' });
  for (const flags of [
    ['2', '--dry-run=client'],
    ['1', '--no-hooks', '--history-max', '2'],
  ]) {
    const ofHelm = await twins.helm('rollback', releaseName, ...flags);
    const ofAgent = await twins.ctl('rollback', releaseName, ...flags);
    t.is(ofAgent.code, 0, ofAgent.stderr);
    t.is(ofAgent.stdout, ofHelm.stdout);
    await assertEqual(t, twins);
  }
});

test('a rollback whose pods do not become ready fails as in helm', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { deployment: true, image: 'localhost/missing:1' }, { greeting: 'two' });
  const ofHelm = await twins.helm('rollback', releaseName, '--wait', '--timeout', '4s');
  const ofAgent = await twins.ctl('rollback', releaseName, '--timeout', '4s');
  t.deepEqual([ofAgent.code, ofAgent.stdout], [ofHelm.code, ofHelm.stdout]);
  t.regex(ofHelm.stderr, /Error: release site failed: /);
  t.regex(ofAgent.stderr, /Error: release site failed: /);
  // the reason is more precise here
  await assertEqual(
    t,
    twins,
    /^\/records\/.*v3\/release\/info\/description: helm has "Release \\"site\\" failed: .*, the agent "Release \\"site\\" failed: /,
  );
});

test('a rollback that cannot change an object fails as in helm, and creates what it can', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { greeting: 'one', extra: true }, { greeting: 'two' });
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: `${releaseName}-greeting` };
    await harness().cluster.mergePatch(ref, { immutable: true }, { fieldManager: 'someone' });
  }
  const ofHelm = await twins.helm('rollback', releaseName, '--cleanup-on-fail', ...wait);
  const ofAgent = await twins.ctl('rollback', releaseName, '--cleanup-on-fail');
  t.deepEqual([ofAgent.code, ofAgent.stdout], [ofHelm.code, ofHelm.stdout]);
  t.regex(ofHelm.stderr, /field is immutable when `immutable` is set/);
  t.regex(ofAgent.stderr, /field is immutable when `immutable` is set/);
  await assertEqual(t, twins);
});

test('a failed hook leaves the rollback failed, where helm leaves it pending', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { hooks: { enabled: true, args: ['fail'] } }, { greeting: 'two' });
  const ofHelm = await twins.helm('rollback', releaseName, ...wait);
  const ofAgent = await twins.ctl('rollback', releaseName);
  t.is(ofAgent.code, ofHelm.code);
  await assertEqual(
    t,
    twins,
    /v3\/release\/hooks\/0\/last_run\/completed_at: helm has undefined, the agent "TIME"$/,
    /v3\/release\/hooks\/0\/last_run\/phase: helm has "Running", the agent "Failed"$/,
    /v3\/labels\/status: helm has "pending-rollback", the agent "failed"$/,
    /v3\/release\/info\/status: helm has "pending-rollback", the agent "failed"$/,
    /v3\/release\/info\/description: helm has "Rollback to 1", the agent "Rollback \\"site\\" failed: /,
  );
});

/** Helm's message, which the agent extends by the code of the error, and `ctl` by its progress. */
const withoutCode = ({ stderr }: Ended) =>
  stderr.replace(/^accepted\n(no step has begun; .*\n)?/, '').replace(/ \(\w+\)\n/, '\n');

test('prints what helm prints', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { ...hooked, text: '<a&b>', list: [1, 'a: b'] }, { greeting: 'two', size: 1000000 });
  await twins.helm('upgrade', releaseName, `${charts}/verbs`, '--reset-values', '--description', 'two\nlines of text');
  const options = ['', '-o json', '-o yaml', '-o table'];
  const commands = [
    ...options.flatMap((format) =>
      ['list', 'list --filter ^s.te$ --max 0', 'history site', 'history site --max 1'].map(
        (command) => `${command} ${format}`,
      ),
    ),
    ...options.flatMap((format) => [`get values site ${format}`, `get values site --all ${format}`]),
    ...options.flatMap((format) => [`get metadata site ${format}`, `get values site --revision 1 ${format}`]),
    ...['get metadata site --revision 1', 'get all site', 'get all site --revision 1'],
    ...['get manifest', 'get hooks', 'get notes'].flatMap((command) => [
      `${command} site`,
      `${command} site --revision 1`,
    ]),
    ...[
      'list -q',
      'list -q -o json',
      'list --no-headers',
      'list --failed',
      'list --failed -o json',
      'list --superseded',
    ],
    ...['list --superseded --date', 'list --superseded --date --reverse', 'list --superseded --offset 1 --max 1'],
    ...['list --time-format 2006-01-02', 'list --selector name=site', 'list --selector name=other'],
    ...['get values none', 'history none', 'status none', 'get all site --revision 9', 'list --filter ['],
    ...['rollback none', 'rollback site 9', 'rollback site x'],
  ].map((command) => command.split(' ').filter((word) => word !== ''));
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    for (const command of commands) {
      const ofHelm = await runHelm('helm4', '--namespace', namespace, ...command);
      const ofAgent = await runCtl(harness(), [...command, '--namespace', namespace]);
      const about = command.join(' ');
      t.is(ofAgent.stdout, ofHelm.stdout, about);
      t.is(ofAgent.code, ofHelm.code, about);
      t.is(withoutCode(ofAgent), ofHelm.stderr, about);
    }
  }
});

test('shows the readiness of the objects beside what helm status shows', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, { deployment: true, image: 'localhost/missing:1' });
  const json = ({ stdout }: Ended) => {
    const { info, ...release } = JSON.parse(stdout) as { info: object; resources?: object[] };
    return { ...release, info: { ...info, resources: undefined } };
  };
  const namespace = ['--namespace', twins.agentNamespace];
  const ofHelm = json(await runHelm('helm4', 'status', releaseName, '-o', 'json', ...namespace));
  const { resources, ...ofAgent } = json(await twins.ctl('status', releaseName, '-o', 'json'));
  t.deepEqual(ofAgent, ofHelm);
  t.like(resources, { length: 2, 0: { kind: 'ConfigMap', status: 'Current' } });
  t.like(resources?.[1], { kind: 'Deployment', namespace: twins.agentNamespace, status: 'InProgress' });

  const table = await runHelm('helm4', 'status', releaseName, ...namespace);
  const { stdout } = await twins.ctl('status', releaseName);
  const withoutResources = (text: string) => text.replace(/RESOURCES:\n[^]*?\n\n\n/, '');
  t.is(withoutResources(stdout), withoutResources(table.stdout));
  await eventually('the reason is shown', 60, async () => {
    const shown = await twins.ctl('status', releaseName);
    return /\nsite +InProgress +.*(ErrImagePull|ImagePullBackOff): /.test(shown.stdout) || undefined;
  });
});

test('a dry run prints what helm prints, and deployments have the formats of helm', async (t) => {
  const twins = newTwins(t, harness());
  await deployBoth(twins, hooked);
  const time = /LAST DEPLOYED: .*|"(first|last)_deployed":"[^"]*"/g;
  // a packet has only the metadata of the chart
  const chart = /"chart":\{.*\},(?="config":)/;
  const text = ({ stdout }: Ended, namespace: string) =>
    stdout.replaceAll(namespace, 'NAMESPACE').replace(time, '').replace(chart, '');
  const flags = ['--set', 'greeting=three', '--dry-run=server'];
  for (const verb of ['install', 'upgrade']) {
    for (const format of [[], ['-o', 'json']]) {
      const ofHelm = await twins.helm(verb, releaseName, `${charts}/verbs`, ...flags, ...format);
      const ofAgent = await twins.ctl(verb, releaseName, 'verbs', ...flags, ...format);
      t.is(ofAgent.code, ofHelm.code, ofAgent.stderr);
      t.is(text(ofAgent, twins.agentNamespace), text(ofHelm, twins.helmNamespace), verb);
    }
  }
  await assertEqual(t, twins);
  const ofHelm = await twins.helm('upgrade', releaseName, `${charts}/verbs`, '--no-hooks', '-o', 'json', '--wait');
  const ofAgent = await twins.ctl('upgrade', releaseName, 'verbs', '--no-hooks', '-o', 'json');
  t.is(text(ofAgent, twins.agentNamespace), text(ofHelm, twins.helmNamespace));
  await assertEqual(t, twins);
});
