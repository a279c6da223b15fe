import test, { type ExecutionContext } from 'ava';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectRef } from '../../src/objects/object.ts';
import { useHarness } from './harness.ts';
import { runHelm, type Ended, type HelmProgram } from './helm.ts';
import { kubeconfigText } from './real-cluster.ts';
import { newTwins, releaseName, type Twins } from './twins.ts';
import { wantedDifferences } from './wanted-differences.ts';
import { writeChart, type WrittenChart } from './written-chart.ts';

const charts = await mkdtemp(join(tmpdir(), 'helm-agent-apply-'));
test.after.always(() => rm(charts, { recursive: true }));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));

const service = [['v1', 'Service']] as const;
let chartCount = 0;

/** A twin's namespace, and what acts in it. */
interface Side {
  namespace: string;
  run: (...args: string[]) => Promise<Ended>;
  /** The argument for a chart. */
  chart: (name: string) => string;
}

/** Runs an action for both twins. */
async function both<T>(twins: Twins, action: (side: Side) => Promise<T>): Promise<[ofHelm: T, ofAgent: T]> {
  const flags = ['--no-atomic', '--no-wait'];
  const deploys = new Set(['install', 'upgrade']);
  return Promise.all([
    action({ namespace: twins.helmNamespace, run: twins.helm, chart: (name) => join(charts, name) }),
    action({
      namespace: twins.agentNamespace,
      run: (verb = '', ...args) =>
        twins.ctl(verb, ...args, ...(deploys.has(verb) ? flags : verb === 'rollback' ? ['--no-wait'] : [])),
      chart: (name) => name,
    }),
  ]);
}

async function newChart(manifest: string, parts: Omit<WrittenChart, 'manifest'> = {}): Promise<string> {
  const name = `chart-${chartCount++}`;
  await writeChart(charts, name, { manifest, ...parts });
  return name;
}

/** Runs the same command line for both twins. Both must succeed. */
async function succeed(t: ExecutionContext, twins: Twins, verb: string, chart: string, ...flags: string[]) {
  const [ofHelm, ofAgent] = await both(twins, ({ run, chart: path }) =>
    run(verb, releaseName, ...(chart === '' ? [] : [path(chart)]), ...flags),
  );
  t.is(ofHelm.code, 0, ofHelm.stderr);
  t.is(ofAgent.code, 0, ofAgent.stderr);
}

/** Runs the same command line for both twins. Both must fail. Returns what they print. */
async function fail(t: ExecutionContext, twins: Twins, verb: string, chart: string, ...flags: string[]) {
  const [ofHelm, ofAgent] = await both(twins, ({ run, chart: path }) =>
    run(verb, releaseName, ...(chart === '' ? [] : [path(chart)]), ...flags),
  );
  t.is(ofHelm.code, 1, ofHelm.stdout);
  t.is(ofAgent.code, 1, ofAgent.stdout);
  return { ofHelm: ofHelm.stderr, ofAgent: ofAgent.stderr };
}

/** Installs a chart with one program in both namespaces. */
async function installBoth(twins: Twins, program: HelmProgram, chart: string, ...flags: string[]): Promise<void> {
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    const args = ['install', releaseName, join(charts, chart), '--create-namespace', '--namespace', namespace];
    const ended = await runHelm(program, ...args, ...flags);
    if (ended.code !== 0) throw new Error(ended.stderr);
  }
}

async function createNamespaces({ helmNamespace, agentNamespace }: Twins): Promise<void> {
  for (const name of [helmNamespace, agentNamespace]) {
    await harness().cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

/** Changes an object of both twins as another client. */
async function drift(twins: Twins, ref: Omit<ObjectRef, 'namespace'>, patch: object) {
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    await harness().cluster.mergePatch({ ...ref, namespace }, patch, { fieldManager: 'someone' });
  }
}

const deploymentRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const mapRef = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' };

async function assertEqual(t: ExecutionContext, twins: Twins, ...allowed: RegExp[]): Promise<void> {
  const patterns = [...wantedDifferences.map(({ starts }) => starts), ...allowed];
  const found = await twins.differences();
  for (const pattern of allowed) {
    t.true(
      found.some((difference) => pattern.test(difference)),
      pattern.source,
    );
  }
  t.deepEqual(
    found.filter((difference) => !patterns.some((pattern) => pattern.test(difference))),
    [],
  );
}

interface WebOptions {
  image?: string;
  env?: string;
  ports?: string;
  more?: string;
  strategy?: string;
}

/** Returns a Deployment without replicas of its own, and a Service. */
function web({ image = 'localhost/app:1', env = '', ports = '', more = '', strategy = '' }: WebOptions): string {
  return `
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: ${ports === '' ? '[{ port: 80, name: http }]' : ports}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 1
  ${strategy}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: app
          image: ${image}
          env: ${env === '' ? '[{ name: A, value: "1" }]' : env}
          ports: [{ containerPort: 80 }, { containerPort: 81, name: admin }]
${more}`;
}

const settings = (data: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { ${data} }
`;

test('upgrades a release of helm 3 client-side, and undoes what others changed', async (t) => {
  const twins = newTwins(t, harness(), service);
  await installBoth(twins, 'helm3', await newChart(web({})));
  await drift(twins, deploymentRef, { spec: { replicas: 3 }, metadata: { labels: { theirs: '1' } } });
  await succeed(t, twins, 'upgrade', await newChart(web({ image: 'localhost/app:2' })));
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await newChart(settings('a: "1"')));
  await assertEqual(t, twins);
  await succeed(t, twins, 'rollback', '', '1');
  await assertEqual(t, twins);
});

test('moves a release of helm 3 to server-side apply on request, and stays there', async (t) => {
  const twins = newTwins(t, harness(), service);
  await installBoth(twins, 'helm3', await newChart(web({}) + '---' + settings('a: "1", b: "2"')));
  await succeed(t, twins, 'upgrade', await newChart(web({}) + '---' + settings('a: "1"')), '--server-side=true');
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await newChart(web({ env: '[]' })));
  await assertEqual(t, twins);
  await succeed(t, twins, 'rollback', '', '1');
  await assertEqual(t, twins);
  await succeed(t, twins, 'rollback', '', '2', '--server-side=true');
  await assertEqual(t, twins);
});

test('merges the elements of lists client-side', async (t) => {
  const twins = newTwins(t, harness(), service);
  const volumes = '      volumes: [{ name: a, emptyDir: {} }, { name: b, emptyDir: {} }]';
  const first = web({
    env: '[{ name: A, value: "1" }, { name: B, value: "2" }, { name: C, value: "3" }]',
    ports: '[{ port: 80, name: http }, { port: 81, name: admin }]',
    more: `        - { name: side, image: "localhost/app:1" }\n${volumes}`,
  });
  await installBoth(twins, 'helm4', await newChart(first), '--server-side=false');
  await assertEqual(t, twins);
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    const injected = { name: 'injected', image: 'localhost/app:1' };
    const env = [{ name: 'THEIRS', value: 'x' }];
    const patch = { spec: { template: { spec: { containers: [injected, { name: 'app', env }] } } } };
    await harness().cluster.strategicMergePatch({ ...deploymentRef, namespace }, patch, { fieldManager: 'someone' });
  }
  const second = web({
    env: '[{ name: C, value: "4" }, { name: A, value: "1" }]',
    ports: '[{ port: 81, name: admin }, { port: 82, name: other }]',
    more: '      volumes: [{ name: b, configMap: { name: none } }]',
    strategy: 'strategy: { type: Recreate }',
  });
  await succeed(t, twins, 'upgrade', await newChart(second));
  await assertEqual(t, twins);
});

test('a field that another manager owns is a conflict, which force-conflicts resolves', async (t) => {
  const twins = newTwins(t, harness(), service);
  await installBoth(twins, 'helm4', await newChart(web({})));
  await drift(twins, deploymentRef, { spec: { replicas: 0 } });
  const next = await newChart(web({ env: '[]' }));
  const { ofHelm, ofAgent } = await fail(t, twins, 'upgrade', next);
  const message =
    /conflict occurred while applying object \S+ apps\/v1, Kind=Deployment: Apply failed with 1 conflict: conflict with "someone" using apps\/v1: \.spec\.replicas/;
  t.regex(ofHelm, message);
  t.regex(ofAgent, message);
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', next, '--force-conflicts');
  await assertEqual(t, twins);
});

test('replaces objects by force', async (t) => {
  const twins = newTwins(t, harness(), service);
  await installBoth(twins, 'helm4', await newChart(web({}) + '---' + settings('a: "1"')), '--server-side=false');
  await drift(twins, mapRef, { data: { theirs: '1' }, metadata: { labels: { theirs: '1' } } });
  const next = await newChart(web({ env: '[]' }) + '---' + settings('a: "2"'));
  await succeed(t, twins, 'upgrade', next, '--force-replace');
  await assertEqual(t, twins);
  await succeed(t, twins, 'rollback', '', '1', '--force-replace');
  await assertEqual(t, twins);
});

test('refuses options that exclude each other with the messages of helm', async (t) => {
  const twins = newTwins(t, harness());
  await installBoth(twins, 'helm4', await newChart(settings('a: "1"')));
  const next = await newChart(settings('a: "2"'));
  const cases: [flags: string[], message: RegExp][] = [
    [['--force-replace'], /cannot use server-side apply and force replace together/],
    [['--server-side=false', '--force-conflicts'], /forceConflicts enabled when serverSideApply disabled/],
    [['--force-replace', '--force-conflicts'], /if any flags in the group \[force-replace force-conflicts\] are set/],
    [['--server-side=maybe'], /invalid\/unknown release server-side apply method: maybe/],
  ];
  for (const [flags, message] of cases) {
    const { ofHelm, ofAgent } = await fail(t, twins, 'upgrade', next, ...flags);
    t.regex(ofHelm, message);
    t.regex(ofAgent, message);
  }
});

for (const mode of ['true', 'false']) {
  test(`takes over objects of others with --server-side=${mode}`, async (t) => {
    const twins = newTwins(t, harness(), service);
    await createNamespaces(twins);
    for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
      const data = { a: '0', theirs: '1' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data };
      await harness().cluster.create(object, { fieldManager: 'kubectl-create' });
    }
    const chart = await newChart(settings('a: "0", b: "1"'));
    const { ofHelm, ofAgent } = await fail(t, twins, 'install', chart, `--server-side=${mode}`);
    const message = /ConfigMap "settings" in namespace "\S+" exists and cannot be imported into the current release/;
    t.regex(ofHelm, message);
    t.regex(ofAgent, message);
    await succeed(t, twins, 'install', chart, '--take-ownership', `--server-side=${mode}`);
    await assertEqual(t, twins);
  });
}

const ownership = (namespace: string) => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': releaseName, 'meta.helm.sh/release-namespace': namespace },
});

async function createOwned(twins: Twins): Promise<void> {
  await createNamespaces(twins);
  for (const namespace of [twins.helmNamespace, twins.agentNamespace]) {
    const metadata = { name: 'settings', namespace, ...ownership(namespace) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1', old: '2' } };
    await harness().cluster.create(object, { fieldManager: 'helm' });
  }
}

test('adopts objects that were applied client-side', async (t) => {
  const twins = newTwins(t, harness(), service);
  await createOwned(twins);
  await succeed(t, twins, 'install', await newChart(settings('a: "2"') + '---' + web({})));
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await newChart(settings('b: "2"')));
  await assertEqual(t, twins);
});

test('does not delete an object that existed before when it undoes an installation', async (t) => {
  const twins = newTwins(t, harness());
  await createOwned(twins);
  const chart = await newChart(settings('a: "2"') + '---' + settings('a: "1"').replace('settings', 'Not_A_Name'));
  const ended = await twins.ctl('install', releaseName, chart);
  t.is(ended.code, 1);
  t.regex(ended.stderr, /left ConfigMap "settings" in namespace "\S+": it existed before the release/);
  const live = await harness().cluster.get({ ...mapRef, namespace: twins.agentNamespace });
  t.deepEqual(live?.['data'], { a: '2' });
});
