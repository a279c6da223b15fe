import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Cluster } from '../../src/objects/cluster.ts';
import { hasClusterErrorCode } from '../../src/objects/cluster-error.ts';
import type { ObjectRef } from '../../src/objects/object.ts';
import { eventually, openEnvironment, uniqueName } from '../api/environment.ts';
import { useHarness } from './harness.ts';
import { type Ended, type HelmProgram, runHelm } from './helm.ts';
import { freeNamespace } from './namespaces.ts';
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
    action({
      namespace: twins.helmNamespace,
      run: (...args: string[]) => twins.helm(...args),
      chart: (name) => join(charts, name),
    }),
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

/** Returns a CRD. The first of its versions is the stored one. */
function definition(group: string, ...versions: string[]): string {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  });
}

const definitionRef = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: `widgets.${group}`,
});

function newGroup(t: ExecutionContext): string {
  const group = `${uniqueName('e2e')}.example.com`;
  t.teardown(() => harness().cluster.delete(definitionRef(group)));
  return group;
}

test('applies a CRD that exists as helm does, without a long wait, and drops no stored version', async (t) => {
  const twins = newTwins(t, harness());
  const groups = { helm: newGroup(t), agent: newGroup(t) };
  const sides = [
    { group: groups.helm, namespace: twins.helmNamespace, run: (...args: string[]) => helmWithCrds(twins, ...args) },
    { group: groups.agent, namespace: twins.agentNamespace, run: (...args: string[]) => twins.ctl(...args) },
  ];
  const states = await Promise.all(
    sides.map(async (side) => {
      const { group, namespace } = side;
      const chartWith = async (version: string, ...versions: string[]) => {
        const widget = `apiVersion: ${group}/${version}\nkind: Widget\nmetadata: { name: a }\nspec: { size: 1 }\n`;
        const name = await newChart(widget, { crds: { 'widgets.yaml': definition(group, ...versions) } });
        return group === groups.helm ? join(charts, name) : name;
      };
      const install = async (release: string, chart: string, ...flags: string[]) =>
        side.run('install', release, chart, '--create-namespace', ...flags);
      const first = await install('one', await chartWith('v1', 'v1'));
      t.is(first.code, 0, first.stderr);
      await side.run('uninstall', 'one');
      const started = performance.now();
      const second = await install('two', await chartWith('v2', 'v1', 'v2'));
      const seconds = (performance.now() - started) / 1000;
      t.is(second.code, 0, second.stderr);
      const third = await install('three', await chartWith('v2', 'v2'));
      t.is(third.code, 1);
      t.regex(third.stderr, /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/);
      const live = await harness().cluster.get(definitionRef(group));
      const { managedFields, labels, annotations } = live?.metadata ?? { name: '' };
      const text = JSON.stringify({ spec: live?.['spec'], managers: managersOf(managedFields), labels, annotations });
      return { seconds, state: text.replaceAll(group, 'GROUP').replaceAll(namespace, 'NAMESPACE') };
    }),
  );
  const [ofHelm, ofAgent] = states;
  t.is(ofAgent?.state, ofHelm?.state);
  t.log(`helm ${ofHelm?.seconds.toFixed(1)} s, the agent ${ofAgent?.seconds.toFixed(1)} s`);
});

/**
 * Runs helm, again while the API server does not list the kind of an established CRD. Helm does not
 * wait for that.
 */
async function helmWithCrds(twins: Twins, ...args: string[]): Promise<Ended> {
  return eventually('helm finds the kinds of its CRDs', 60, async () => {
    const ended = await twins.helm(...args);
    return ended.stderr.includes('ensure CRDs are installed first') ? undefined : ended;
  });
}

function managersOf(managedFields: unknown): unknown {
  const entries = managedFields as { manager: string; operation: string; subresource?: string; fieldsV1: unknown }[];
  return entries
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
}

test('changes custom resources client-side from revision to revision, and keeps the rest', async (t) => {
  const group = await servedGroup(t);
  const twins = newTwins(t, harness(), [[`${group}/v1`, 'Widget']]);
  const widget = (spec: string) =>
    newChart(`apiVersion: ${group}/v1\nkind: Widget\nmetadata: { name: a }\nspec: ${spec}\n`);
  await installBoth(twins, 'helm3', await widget('{ size: 1, list: [{ name: a }], old: 1, map: { a: 1, b: 2 } }'));
  await drift(twins, { apiVersion: `${group}/v1`, kind: 'Widget', name: 'a' }, { spec: { size: 5, theirs: 1 } });
  await succeed(t, twins, 'upgrade', await widget('{ size: 1, list: [{ name: b }], map: { a: 1 } }'));
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await widget('{ size: 2 }'), '--server-side=true', '--force-conflicts');
  await assertEqual(t, twins);
});

/** Creates a CRD and waits until its kind is served. Returns the group. */
async function servedGroup(t: ExecutionContext): Promise<string> {
  const group = newGroup(t);
  const { cluster } = harness();
  await cluster.create(JSON.parse(definition(group, 'v1')) as Parameters<typeof cluster.create>[0]);
  await eventually('the CRD is served', 30, async () => {
    const { apiVersions } = await cluster.capabilities();
    return apiVersions.includes(`${group}/v1/Widget`) || undefined;
  });
  return group;
}

for (const mode of ['true', 'false']) {
  test(`keeps all digits of integers, as helm does, with --server-side=${mode}`, async (t) => {
    const group = await servedGroup(t);
    const twins = newTwins(t, harness());
    const environment = openEnvironment(kubeconfigText());
    t.teardown(() => environment.close());
    const assertSpec = async (...parts: string[]) => {
      const texts = await both(twins, async ({ namespace }) => {
        const path = `/apis/${group}/v1/namespaces/${namespace}/widgets/a`;
        const { text } = await environment.raw('GET', path);
        return /"spec":\{.*\}/.exec(text)?.[0];
      });
      t.is(texts[1], texts[0]);
      for (const part of parts) t.true(texts[1]?.includes(part), texts[1]);
    };
    const widget = (spec: string) =>
      newChart(`apiVersion: ${group}/v1\nkind: Widget\nmetadata: { name: a }\nspec: ${spec}\n`);
    const flag = `--server-side=${mode}`;
    const chart = await widget('{ large: 9007199254740993, float: 1.0, list: [-9223372036854775808], huge: 1e21 }');
    await succeed(t, twins, 'install', chart, '--create-namespace', flag);
    await assertSpec('"large":9007199254740993', '[-9223372036854775808]', '"float":1');
    await succeed(t, twins, 'upgrade', await widget('{ large: 9007199254740995, other: 18446744073709551615 }'), flag);
    await assertSpec('"large":9007199254740995');
  });
}

test('labels the namespace as helm does, also one that exists', async (t) => {
  const twins = newTwins(t, harness());
  await createNamespaces(twins);
  const chart = await newChart(settings('a: "1"'));
  await succeed(t, twins, 'install', chart, '--create-namespace');
  const [ofHelm, ofAgent] = await both(twins, async ({ namespace }) => {
    const live = await harness().cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    const { labels, managedFields } = live?.metadata ?? { name: '' };
    return JSON.stringify({ labels, managers: managersOf(managedFields) }).replaceAll(namespace, 'NAMESPACE');
  });
  t.is(ofAgent, ofHelm);
  t.true(ofHelm.includes('"manager":"helm","operation":"Apply"'));
});

test('creates hooks as the objects of the revision', async (t) => {
  const twins = newTwins(t, harness());
  const hooked = (image: string) => `${settings('a: "1"')}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: before
  annotations: { helm.sh/hook: 'pre-install,pre-upgrade,pre-rollback' }
data: { image: ${image} }
`;
  await succeed(t, twins, 'install', await newChart(hooked('a')), '--create-namespace', '--server-side=false');
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await newChart(hooked('b')));
  await assertEqual(t, twins);
  await succeed(t, twins, 'upgrade', await newChart(hooked('c')), '--server-side=true');
  await assertEqual(t, twins);
  await succeed(t, twins, 'rollback', '', '1');
  await assertEqual(t, twins);
});

test('an object with only generateName fails server-side, as in helm', async (t) => {
  const twins = newTwins(t, harness());
  const chart = await newChart('apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: made- }\n');
  const { ofHelm, ofAgent } = await fail(t, twins, 'install', chart, '--create-namespace');
  t.regex(ofHelm, /server-side apply failed for object \S+\/ \/v1, Kind=ConfigMap: resource name may not be empty/);
  t.regex(ofAgent, /server-side apply failed for object \S+\/ \/v1, Kind=ConfigMap: resource name may not be empty/);
});

const job = (seconds: number, name = 'task') => `
apiVersion: batch/v1
kind: Job
metadata: { name: "${name}" }
spec:
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers: [{ name: main, image: "localhost/app:1", args: [sleep, ${seconds}s] }]
`;

test('deletes and creates an object whose immutable field changes, on request', async (t) => {
  const twins = newTwins(t, harness());
  await installBoth(twins, 'helm4', await newChart(job(1)));
  const next = await newChart(job(2));
  const { ofHelm, ofAgent } = await fail(t, twins, 'upgrade', next);
  for (const text of [ofHelm, ofAgent]) t.regex(text, /spec\.template: Invalid value: .*: field is immutable/s);
  const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: twins.agentNamespace, name: 'task' };
  const before = await harness().cluster.get(ref);
  const ended = await twins.ctl('upgrade', releaseName, next, '--recreate', 'immutable');
  t.is(ended.code, 0, ended.stderr);
  t.not((await harness().cluster.get(ref))?.metadata.uid, before?.metadata.uid);
});

test('a Job that replaces a new one gets its pod', async (t) => {
  const { cluster, plane, agentId } = harness();
  const namespace = freeNamespace(t, cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const [first, second] = [
    await newChart(job(1, '{{ .Release.Name }}')),
    await newChart(job(2, '{{ .Release.Name }}')),
  ];
  await keepJobControllerBusy(cluster, namespace);
  const releases = Array.from({ length: 10 }, async (_, index) => {
    const release = { releaseName: `${releaseName}-${index}`, namespace, timeout: '120s' };
    await plane.install(agentId, { ...release, chartName: first, wait: false }).result;
    const options = { recreate: 'immutable', waitForJobs: true, atomic: false } as const;
    const result = await plane.upgrade(agentId, { ...release, ...options, chartName: second }).result;
    t.true(result.ok, JSON.stringify(result));
  });
  await Promise.all(releases);
});

/** Creates a Job whose 60 pods take the Job controller some seconds. */
async function keepJobControllerBusy(cluster: Cluster, namespace: string): Promise<void> {
  const template = {
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { none: 'none' },
      containers: [{ name: 'main', image: 'localhost/app:1' }],
    },
  };
  const metadata = { name: 'busy', namespace };
  await cluster.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { parallelism: 60, template } });
}

test('waits for an admission webhook that is not reachable yet', async (t) => {
  const { cluster, plane, agentId } = harness();
  const namespace = freeNamespace(t, cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const ref = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: namespace,
  };
  t.teardown(() => cluster.delete(ref));
  const { apiVersion, kind } = ref;
  await cluster.create({
    apiVersion,
    kind,
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'check.example.com',
        clientConfig: { url: 'https://127.0.0.1:9/check' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  });
  const refused = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'refused', namespace } };
  await eventually('the webhook is in effect', 30, async () => {
    const error: unknown = await cluster.create(refused, { dryRun: true }).catch((reason: unknown) => reason);
    return hasClusterErrorCode(error, 'webhook_unavailable') || undefined;
  });
  const chartName = await newChart(settings('a: "1"'));
  const command = plane.install(agentId, { releaseName, namespace, chartName, timeout: '120s' });
  let isDeleted = false;
  for await (const event of command) {
    if (isDeleted || event.type !== 'status' || !event.payload.message?.includes('trying again')) continue;
    isDeleted = await cluster.delete(ref);
  }
  const result = await command.result;
  t.true(result.ok, JSON.stringify(result));
  t.true(isDeleted);
});
