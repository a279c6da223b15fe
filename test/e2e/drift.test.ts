import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import type { CommandEvent, SentCommand } from '../../src/control-plane/index.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { crashWorld, kill } from '../bin/support/crash-world.ts';
import { eventually } from '../support/eventually.ts';
import { readCorpusCase } from './corpus-case.ts';
import { useHarness } from './harness.ts';
import { runHelm } from './helm.ts';
import { freeNamespace } from './namespaces.ts';
import { openHarness } from './open-harness.ts';
import { performed } from './performed.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';
import { runnableObjects } from './runnable-objects.ts';
import { slots } from './scenarios/slots.ts';
import { runCtl } from './twins.ts';
import { writeChart } from './written-chart.ts';

const run = promisify(execFile);
const charts = await mkdtemp(join(tmpdir(), 'helm-agent-drift-'));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));
test.after.always('charts', () => rm(charts, { recursive: true }));

const releaseName = 'rel';
const app = { name: 'app', image: 'localhost/app:1', imagePullPolicy: 'Never' };
const pod = { terminationGracePeriodSeconds: 0, containers: [app] };
const template = { metadata: { labels: { app: 'web' } }, spec: pod };
const selector = { matchLabels: { app: 'web' } };

/** Objects of many kinds, with values that the API server writes in another way or adds to. */
const objects: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' }, automountServiceAccountToken: false },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, stringData: { key: 'sentinel-one' }, data: {} },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'config', annotations: {} }, data: { a: '1', b: '2' } },
  {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'disk' } },
    spec: {
      ...{ accessModes: ['ReadWriteOnce'], storageClassName: 'none' },
      resources: { requests: { storage: '1024Mi' } },
    },
  },
  {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'web' } },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
  },
  {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
    spec: {
      selector: { app: 'web' },
      ports: [
        { port: 80, targetPort: 8080 },
        { name: 'b', port: 81 },
      ].slice(0, 1),
    },
  },
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    spec: {
      ...{ replicas: 1, selector },
      template: {
        ...template,
        spec: {
          ...{ ...pod, nodeSelector: null, securityContext: {}, volumes: [{ name: 'tmp', emptyDir: {} }] },
          containers: [
            {
              ...app,
              resources: { requests: { cpu: '10m', memory: '0.01Gi' }, limits: { cpu: '1000m', memory: '1024Mi' } },
              env: [
                { name: 'A', value: 'a' },
                { name: 'EMPTY', value: '' },
              ],
              ports: [{ containerPort: 8080, name: 'http' }],
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
        },
      },
    },
  },
  {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' } },
    spec: { replicas: 0, serviceName: 'web', selector, template },
  },
  {
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'node' } },
    spec: { selector, template: { ...template, spec: { ...pod, nodeSelector: { none: 'true' } } } },
  },
  {
    ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'backup' } },
    spec: {
      ...{ schedule: '0 0 1 1 *', suspend: true },
      jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
    },
  },
  {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } },
    spec: {
      rules: [
        {
          host: 'web.example',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'web' } },
    spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] },
  },
  {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' } },
    spec: { maxUnavailable: '10%', selector },
  },
];

const chartOf = (name: string, all: readonly KubeObject[]) =>
  writeChart(charts, name, {
    manifest: '{{ .Files.Get "objects.yaml" }}',
    files: { 'objects.yaml': all.map((object) => JSON.stringify(object)).join('\n---\n') },
  });

async function kubectl(namespace: string, ...args: string[]): Promise<void> {
  const file = join(process.env['HELM_BIN'] ?? '', 'kubectl');
  await run(file, [...args, '--namespace', namespace], { env: { ...process.env, KUBECONFIG: kubeconfigFile() } });
}

/** Installs a chart with the objects in a new namespace. */
async function installed(t: Parameters<typeof freeNamespace>[0], name: string, all = objects) {
  const { cluster, plane, agentId } = harness();
  const namespace = freeNamespace(t, cluster);
  const chartName = await chartOf(name, all);
  const request = { releaseName, namespace, chartName, wait: false } as const;
  const { outcome, result } = await performed(plane.install(agentId, request));
  t.is(outcome, 'deployed', JSON.stringify(result));
  return { namespace, chartName };
}

type Reported = NonNullable<Extract<CommandEvent, { type: 'status' }>['payload']['drift']>[number];

/** Collects the drift that a command reports. */
function collected(command: SentCommand): { all: Reported[]; ended: Promise<unknown> } {
  const all: Reported[] = [];
  const ended = performed(command, ({ drift = [] }) => void all.push(...drift));
  return { all, ended };
}

/** The text of each object that differs: `Deployment web changed spec.replicas by kubectl`. */
function textsOf(drift: readonly Reported[]): string[] {
  return drift.map(({ kind, name, change, fields = [], reason = '' }) =>
    [`${kind} ${name} ${change}`, ...fields.map(({ path, manager = '' }) => `${path} by ${manager}`), reason]
      .filter((part) => part !== '')
      .join(' '),
  );
}

const patch = (kind: string, name: string, change: object) => ['patch', kind, name, '-p', JSON.stringify(change)];

/** Changes by kubectl, and how they are reported. */
const changes: readonly (readonly [args: readonly string[], report: RegExp])[] = [
  [['scale', 'deployment', 'web', '--replicas', '2'], /^Deployment web changed spec\.replicas by kubectl$/],
  [['scale', 'statefulset', 'db', '--replicas', '1'], /^StatefulSet db changed spec\.replicas by kubectl$/],
  [
    ['set', 'image', 'daemonset/node', 'app=localhost/pause:1'],
    /^DaemonSet node changed spec\.template\.spec\.containers\[name=app\]\.image by kubectl-set$/,
  ],
  [
    patch('cronjob', 'backup', { spec: { schedule: '1 1 1 1 *' } }),
    /^CronJob backup changed spec\.schedule by kubectl-patch$/,
  ],
  [patch('configmap', 'config', { data: { a: '3', c: '4' } }), /^ConfigMap config changed data\.a by kubectl-patch$/],
  [
    patch('secret', 'token', { stringData: { key: 'sentinel-two' } }),
    /^Secret token changed data\.key by kubectl-patch$/,
  ],
  [
    patch('service', 'web', { spec: { selector: { extra: 'x' } } }),
    /^Service web changed spec\.selector\.extra by kubectl-patch$/,
  ],
  [patch('role', 'web', { rules: [] }), /^Role web changed rules(\[0\])? ?by/],
  [patch('serviceaccount', 'web', { automountServiceAccountToken: true }), /^ServiceAccount web changed automount/],
  [
    patch('networkpolicy', 'web', { spec: { policyTypes: ['Ingress', 'Egress'] } }),
    /^NetworkPolicy web changed spec\.policyTypes\[1\]/,
  ],
  [patch('pdb', 'web', { spec: { maxUnavailable: 5 } }), /^PodDisruptionBudget web changed spec\.maxUnavailable by/],
  [['delete', 'ingress', 'web'], /^Ingress web deleted$/],
  [['label', 'pvc', 'disk', 'app.kubernetes.io/managed-by-'], /^PersistentVolumeClaim disk changed metadata\.labels/],
];

test('what kubectl changes of each kind is found at once, with its manager, and put back', async (t) => {
  const { plane, agentId, cluster } = harness();
  const { namespace } = await installed(t, 'kinds');
  const ctl = (...args: string[]) => runCtl(harness(), [...args, '-n', namespace]);
  const none = await ctl('drift', releaseName);
  t.is(none.stdout, 'no drift\n', none.stderr);
  t.is(none.code, 0);

  const watch = plane.watch(agentId, { releaseName, namespace, drift: true });
  const { all, ended } = collected(watch);
  for (const [args, report] of changes) {
    await kubectl(namespace, ...args);
    await eventually(`${args.join(' ')} is reported`, () => textsOf(all).some((text) => report.test(text)), 30_000);
  }
  await plane.cancel(agentId, { key: watch.key }).result;
  t.like(await ended, { result: { ok: true, drift: { length: changes.length } } });
  t.notRegex(JSON.stringify(all), /sentinel|c2VudGluZWw/);

  const found = await ctl('drift', releaseName, '-o', 'json');
  t.is(found.code, 2, found.stderr);
  const { drift } = JSON.parse(found.stdout) as { drift: Reported[] };
  for (const [, report] of changes)
    t.true(
      textsOf(drift).some((text) => report.test(text)),
      String(report),
    );
  t.is(drift.length, changes.length, found.stdout);

  const ignoring = await ctl('drift', releaseName, '--correct', '--ignore', 'Deployment:/spec/replicas');
  t.is(ignoring.code, 0, ignoring.stderr);
  t.regex(ignoring.stderr, /Ingress .*\/web was deleted, and was put back/);
  const left = await ctl('drift', releaseName);
  t.regex(
    left.stdout,
    /^~ Deployment \S+ was changed\n {4}spec\.replicas: 1 -> 2, by kubectl\n1 of 13 objects differ\n$/,
  );
  t.like(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'config' }), {
    data: { a: '1', b: '2', c: '4' },
  });
  t.is((await ctl('drift', releaseName, '--correct')).code, 0);
  t.is((await ctl('drift', releaseName)).stdout, 'no drift\n');
});

test('a release of helm 3, which applies client-side, is compared and put back as well', async (t) => {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const chartName = await chartOf('client-side', objects);
  const { code, stderr } = await runHelm(
    'helm3',
    'install',
    releaseName,
    chartName,
    '-n',
    namespace,
    '--create-namespace',
  );
  t.is(code, 0, stderr);
  const ctl = (...args: string[]) => runCtl(harness(), [...args, '-n', namespace]);
  t.is((await ctl('drift', releaseName)).stdout, 'no drift\n');
  await kubectl(namespace, ...patch('configmap', 'config', { data: { a: '3', c: '4' } }));
  await kubectl(namespace, 'scale', 'deployment', 'web', '--replicas', '2');
  const found = await ctl('drift', releaseName);
  t.regex(found.stdout, /data\.a: "1" -> "3", by kubectl-patch at .*\n.*\n {4}spec\.replicas: 1 -> 2, by kubectl\n/s);
  t.is((await ctl('drift', releaseName, '--correct')).code, 0);
  t.is((await ctl('drift', releaseName)).stdout, 'no drift\n');
});

test('what an autoscaler scales does not count, and is not put back', async (t) => {
  const { cluster, plane, agentId } = harness();
  const autoscaler: KubeObject = {
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } },
    spec: {
      ...{ minReplicas: 2, maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    },
  };
  const { namespace } = await installed(t, 'autoscaled', [...objects, autoscaler]);
  const follow = plane.correct(agentId, { releaseName, namespace, watch: true });
  const { all, ended } = collected(follow);
  const live = () => cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' });
  const replicas = async () => ((await live())?.['spec'] as { replicas: number }).replicas;
  await eventually('the autoscaler scales', async () => (await replicas()) === 2, 90_000);
  await kubectl(namespace, ...patch('configmap', 'config', { data: { a: '3' } }));
  await eventually('another change is put back', () => all.some(({ corrected }) => corrected === true), 30_000);
  await kubectl(
    namespace,
    ...patch('deployment', 'web', { spec: { template: { spec: { hostNetwork: false, hostPID: true } } } }),
  );
  await kubectl(namespace, 'set', 'image', 'deployment/web', 'app=localhost/pause:1');
  await eventually(
    'the image is put back',
    () => all.filter(({ corrected }) => corrected === true).length === 2,
    30_000,
  );
  t.is(await replicas(), 2);
  t.notRegex(textsOf(all).join('\n'), /replicas/);
  await plane.cancel(agentId, { key: follow.key }).result;
  await ended;
});

test('does not compare what the owner of the cluster does not allow', async (t) => {
  const { namespace } = await installed(t, 'refused');
  await kubectl(namespace, ...patch('configmap', 'config', { data: { a: '3' } }));
  const reading = await openHarness({
    ...{ kubeconfig: kubeconfigText(), localCharts: charts, arguments: ['--allow-rights', 'read'] },
  });
  try {
    const ctl = (...args: string[]) => runCtl(reading, ['drift', releaseName, ...args, '-n', namespace]);
    t.is((await ctl()).code, 2);
    for (const args of [['--correct'], ['--correct', '--watch']]) {
      const { code, stderr } = await ctl(...args);
      t.is(code, 1);
      t.regex(stderr, /needs the right "deploy".*\(forbidden\)/s);
    }
  } finally {
    await reading.close();
  }
  const live = await harness().cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'config' });
  t.like(live, { data: { a: '3' } });
});

test('an agent that was killed continues to put back, and makes up for what it has missed', async (t) => {
  t.timeout(240_000);
  const { cluster } = harness();
  const [own, namespace] = [freeNamespace(t, cluster), freeNamespace(t, cluster)];
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: own } });
  const world = await crashWorld({ kubeconfig: kubeconfigText(), agentNamespace: own });
  t.teardown(() => world.close());
  const child = await world.start();
  const release = { releaseName: 'web', namespace };
  t.is((await performed(world.plane.install(own, { ...release, chartName: 'web' }))).outcome, 'deployed');
  const follow = world.plane.correct(own, { ...release, watch: true });
  const { all, ended } = collected(follow);
  const corrections = () =>
    all.filter(({ corrected }) => corrected === true).map(({ kind, change }) => `${kind} ${change}`);
  await kubectl(namespace, 'set', 'image', 'deployment/web', 'main=localhost/pause:1');
  await eventually('the Deployment is put back', () => corrections().length === 1);
  await kill(world, child);
  await kubectl(namespace, 'delete', 'configmap', 'web');
  await world.start();
  await eventually('the ConfigMap is put back', () => corrections().length === 2);
  t.deepEqual(corrections(), ['Deployment changed', 'ConfigMap deleted']);
  t.truthy(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'web' }));
  t.is(
    (await performed(world.plane.upgrade(own, { ...release, values: 'greeting: hi', chartName: 'web' }))).outcome,
    'deployed',
  );
  await kubectl(namespace, ...patch('configmap', 'web', { data: { greeting: 'hello' } }));
  await eventually('the new revision is put back', () => corrections().length === 3);
  t.like(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'web' }), {
    data: { greeting: 'hi' },
  });
  await world.plane.cancel(own, { key: follow.key }).result;
  t.like(await ended, { result: { ok: true, revision: 2, drift: [] } });
});

const corpus = process.env['CORPUS'];
/** Charts of many kinds of objects, of those that false-alarms.test.ts starts. */
const chartNames = [
  ...['tempo-distributed', 'scalardb', 'dapr', 'goldilocks', 'gatekeeper', 'victoria-metrics-cluster', 'longhorn'],
  ...['metallb', 'kfserving', 'kuberay', 'nginx-ingress-controller', 'keda', 'horovod', 'flux', 'cert-manager'],
  ...['vertical-pod-autoscaler', 'metricbeat', 'external-secrets', 'prometheus', 'aws-ebs-csi-driver', 'dshackle'],
  ...['argo-workflows', 'vault', 'hivemq-swarm', 'wavefront', 'nats', 'clickhouse', 'flink', 'blockscout', 'ethereum'],
];

if (corpus) {
  const inSlot = slots(2);
  for (const name of chartNames) {
    test(`${name} does not differ after its installation`, (t) =>
      inSlot(async () => {
        t.timeout(240_000);
        const all = runnableObjects(readCorpusCase(corpus, name).objects, 'testns');
        const { namespace } = await installed(t, name, all);
        const { plane, agentId } = harness();
        const { result } = await performed(plane.drift(agentId, { releaseName, namespace }));
        t.like(result, { ok: true, drift: [] }, JSON.stringify(result));
      }));
  }
} else {
  test.skip('charts do not differ after their installation (needs CORPUS)', (t) => t.pass());
}
