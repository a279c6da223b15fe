import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { loadAll } from 'js-yaml';
import { leaseName } from '../../src/compose/leadership.ts';
import { credentialOf, formatAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import type { CommandType } from '../../src/protocol/commands/index.ts';
import { openEnvironment, uniqueName } from '../api/environment.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { helm } from './helm.ts';
import { buildImage } from './image.ts';
import { documentedRights, listedRights } from './listed-rights.ts';
import { freeNamespace } from './namespaces.ts';
import { startPrometheus } from './prometheus.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';
import { killPods } from './upgraded-agent.ts';

const run = promisify(execFile);
const { E2E_IMAGE_BASE: base, E2E_LOAD_IMAGE: loadCommand, PROMETHEUS: prometheus } = process.env;
const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const title = 'commands through a control plane in the cluster end although pods of the agent are evicted and killed';

/** The lease duration, and the longest time until the next attempt of the other replica. */
const takeoverMs = 15_000 + 4400;

/** Time for which installations wait, so that something can happen meanwhile. */
const waitSeconds = 25;

/** Time for which the installation waits during which the node is drained, with two new pods. */
const drainSeconds = 60;

/** Longest time in which the cluster starts pods on a busy machine. */
const startMs = 180_000;

const charts = {
  app: `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  minReadySeconds: {{ .Values.seconds | default 0 }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: app, image: localhost/app:1 }] }
`,
  binding: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: {{ .Release.Namespace }} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: {{ .Release.Namespace }} }]
`,
};

interface Result {
  ok: boolean;
  error?: { code: string };
  release?: { version: number; info: { status: string } };
}

if (!base || !loadCommand) {
  test.skip(`${title} (needs E2E_IMAGE_BASE and E2E_LOAD_IMAGE)`, (t) => t.pass());
} else {
  const building = buildImage(base, loadCommand, 'e2e-in-cluster');

  test(title, async (t) => {
    t.timeout(1_200_000, 'a busy machine');
    const environment = openEnvironment(kubeconfigText());
    t.teardown(() => environment.close());
    const { cluster, raw } = environment;
    const image = await building;
    const [planeNamespace, namespace, work] = [
      freeNamespace(t, cluster),
      freeNamespace(t, cluster),
      freeNamespace(t, cluster),
    ];
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    for (const name of [planeNamespace, namespace]) {
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    }
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: work } });

    const users = uniqueName('users');
    const url = await controlPlaneIn(cluster, { namespace: planeNamespace, image, users });
    const send = (type: CommandType, payload: object) => result(`${url}/api`, users, namespace, type, payload);
    await ownersOf(cluster, { agent: namespace, work });
    await enrol(t, { url, users, namespace, image, work });

    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'helm-agent' };
    const bothReady = () =>
      eventually(
        'both replicas are ready',
        async () => {
          const { readyReplicas, updatedReplicas } = ((await cluster.get(deployment))?.['status'] ?? {}) as Replicas;
          return readyReplicas === 2 && updatedReplicas === 2 && (await podsOf(cluster, namespace)).length === 2;
        },
        startMs,
      );
    await bothReady();

    const release = { namespace: work, releaseName: 'web' };
    const archives = await archivesOf();
    const app = (seconds: number) => ({
      ...{ chartName: 'app', chartArchive: archives.app, values: `seconds: ${seconds}` },
      ...{ createNamespace: false, timeout: '5m' },
    });
    for (const [type, payload] of [
      ['install_release', { ...release, ...app(0) }],
      ['upgrade_release', { ...release, ...app(1) }],
      ['rollback_release', release],
    ] as const) {
      t.like(await send(type, payload), { ok: true }, type);
    }
    const binding = { namespace: work, releaseName: 'binding', chartName: 'binding', chartArchive: archives.binding };
    t.like(await send('install_release', { ...binding, createNamespace: false }), {
      ok: false,
      error: { code: 'forbidden' },
    });

    // the metrics say what was done
    const done = {
      'helm_agent_commands_total{type="install_release",result="success"}': 1,
      'helm_agent_commands_total{type="install_release",result="failure"}': 1,
      'helm_agent_commands_total{type="upgrade_release",result="success"}': 1,
      'helm_agent_commands_total{type="rollback_release",result="success"}': 1,
      'helm_agent_failures_total{code="forbidden"}': 1,
      helm_agent_leader: 1,
      helm_agent_connected: 1,
    };
    const pods = await podsOf(cluster, namespace);
    const texts = await Promise.all(pods.map(async ({ ip }) => (await fetch(`http://${ip}:8081/metrics`)).text()));
    for (const [series, count] of Object.entries(done)) {
      t.is(
        texts.reduce((sum, lines) => sum + (valueOf(lines, series) ?? 0), 0),
        count,
        series,
      );
    }
    if (prometheus !== undefined) {
      const server = await startPrometheus(
        t,
        prometheus,
        pods.map(({ ip }) => `${ip}:8081`),
      );
      for (const [series, count] of Object.entries({ ...done, up: 2 })) {
        await eventually(
          `Prometheus has ${count} of ${series}`,
          async () => {
            await sleep(200);
            return (await server.value(`sum(${series})`)) === count;
          },
          startMs,
        );
      }
    }
    await sleep(20_000); // idle: garbage is collected, and memory given back
    for (const { name, ip } of pods) {
      const lines = await (await fetch(`http://${ip}:8081/metrics`)).text();
      const log = await raw('GET', `/api/v1/namespaces/${namespace}/pods/${name}/log`);
      const connected = log.text.split('\n').find((line) => line.includes('"connected to the control plane"'));
      const memory = ((valueOf(lines, 'process_resident_memory_bytes') ?? NaN) / 1024 ** 2).toFixed(0);
      if (connected === undefined) {
        t.log(`${name}: ${memory} MiB, waits to lead`);
        continue;
      }
      const { time } = JSON.parse(connected) as { time: string };
      const seconds = Date.parse(time) / 1000 - (valueOf(lines, 'process_start_time_seconds') ?? NaN);
      t.log(`${name}: ${memory} MiB, connected ${seconds.toFixed(2)} s after its start`);
    }

    const leader = async () => {
      const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: leaseName(namespace) };
      return stringAt((await cluster.get(ref)) ?? {}, 'spec', 'holderIdentity') ?? '';
    };
    /** Resolves when an installation has created its Deployment, so that it waits for that. */
    const waits = (name: string) =>
      eventually(
        `${name} is applied`,
        async () =>
          (await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: work, name })) !== undefined,
        startMs,
      );
    const evict = (name: string) =>
      raw('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
      });
    const ends = async (name: string, disturb: (pod: string) => Promise<void>, seconds = waitSeconds) => {
      const ended = send('install_release', { ...release, releaseName: name, ...app(seconds) });
      await waits(name);
      const before = await leader();
      const started = performance.now();
      await disturb(before.split('_')[0] ?? '');
      await eventually(
        'another process leads',
        async () => !['', before].includes(await leader()),
        takeoverMs + startMs,
      );
      t.log(`${name}: another process leads after ${((performance.now() - started) / 1000).toFixed(1)} s`);
      t.like(await ended, { ok: true, release: { version: 1, info: { status: 'deployed' } } }, name);
      await bothReady();
    };
    // as kubectl drain does with each pod of a node
    await ends('evicted', async (pod) => {
      // a pod that replaces it would be Pending, and those can be evicted
      const other = (await podsOf(cluster, namespace)).find(({ name }) => name !== pod);
      t.is((await evict(pod)).status, 201);
      t.is((await evict(other?.name ?? '')).status, 429, 'the budget keeps one');
    });
    await ends('killed', async (pod) => {
      const killed = await cluster.get({ apiVersion: 'v1', kind: 'Pod', namespace, name: pod });
      await killPods(killed === undefined ? [] : [killed]);
    });

    const nodes = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
    const [node = ''] = nodes.map(({ metadata }) => metadata.name);
    await ends('drained', (pod) => drain(t, { node, selector: `e2e=${namespace}`, pod }), drainSeconds);

    const as = ['--kubeconfig', kubeconfigFile(), '--as', `system:serviceaccount:${namespace}:helm-agent`];
    t.deepEqual(await listedRights(as, namespace), documentedRights());
    t.deepEqual(await listedRights(as, work), ['serviceaccounts [] [deployer] [impersonate]']);
    t.deepEqual(await listedRights(as, 'default'), []);
    await helm('helm4', 'uninstall', 'helm-agent', '--namespace', namespace, '--wait');
  });
}

interface Replicas {
  readyReplicas?: number;
  updatedReplicas?: number;
}

/**
 * Installs a control plane. Returns its URL, which this machine and pods can reach. Waits for
 * kube-proxy, which can forward to a pod later than `helm install --wait` ends.
 */
async function controlPlaneIn(
  cluster: KubeCluster,
  { namespace, image, users }: { namespace: string; image: string; users: string },
): Promise<string> {
  const agents = formatAgentsFile([credentialOf('another', uniqueName('token'))]);
  const metadata = { name: 'tokens', namespace };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { agents, users } });
  const [repository = '', tag = ''] = image.split(/:(?=[^:/]+$)/);
  const values = {
    ...{ fullnameOverride: 'plane', 'tokens.existingSecret': 'tokens', 'persistence.enabled': 'false' },
    ...{ 'image.repository': repository, 'image.tag': tag },
  };
  const settings = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const chart = join(deploy, 'helm-agent-control-plane');
  await helm('helm4', 'install', 'plane', chart, '--namespace', namespace, ...settings, '--wait', '--timeout', '110s');
  const service = await cluster.get({ apiVersion: 'v1', kind: 'Service', namespace, name: 'plane' });
  const url = `http://${stringAt(service ?? {}, 'spec', 'clusterIP') ?? ''}:8088`;
  await eventually(
    'kube-proxy forwards to the control plane',
    () =>
      fetch(url).then(
        () => true,
        () => sleep(200, false),
      ),
    startMs,
  );
  return url;
}

/** Applies what the owner of a cluster does: the account of commands, and the rights file. */
async function ownersOf(cluster: KubeCluster, { agent, work }: { agent: string; work: string }): Promise<void> {
  const { stdout } = await run(process.execPath, [program, 'rights', work, '--agent-account', `${agent}/helm-agent`]);
  for (const object of loadAll(stdout) as KubeObject[]) await cluster.apply(object, { fieldManager: 'e2e' }); // objects
  const data = { 'rights.yaml': 'rules: []\ndefault: deployer\n' };
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rights', namespace: agent }, data });
}

interface Enrolled {
  url: string;
  users: string;
  namespace: string;
  image: string;
  work: string;
}

/** Installs an agent by the command that `ctl enrol` prints, and waits until that has ended. */
async function enrol(t: ExecutionContext, { url, users, namespace, image, work }: Enrolled): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'in-cluster-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, users);
  const child = spawn(process.execPath, [
    ...[program, 'ctl', 'enrol', namespace, '--server', url, '--insecure-transport', '--token-file', tokenFile],
    ...['--image', image, '--chart', join(deploy, 'helm-agent'), '--namespace', namespace],
  ]);
  t.teardown(() => child.kill());
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string | number | null];
  if (typeof line !== 'string') throw new Error(await said);
  const rights = {
    ...{ mode: 'impersonation', accounts: [{ namespace: work, name: 'deployer' }] },
    mapping: { existingConfigMap: 'rights' },
  };
  const flags = `--set replicas=2 --set podLabels.e2e=${namespace} --set-json 'rights=${JSON.stringify(rights)}'`;
  const shell = `${join(process.env['HELM_BIN'] ?? '', 'helm4')} ${line.replace(/^helm /, '')} ${flags}`;
  const started = performance.now();
  await run('sh', ['-c', shell], { env: { ...process.env, KUBECONFIG: kubeconfigFile() } });
  t.is((await ended)[0], 0, await said);
  t.log(`healthy ${((performance.now() - started) / 1000).toFixed(1)} s after the start of helm install`);
}

/**
 * Drains the node with kubectl: both pods of the agent are evicted, one after the other, because of
 * their budget. Others cannot use the node until the first one is evicted, and no longer: it is the
 * only node, so the second pod can be evicted only when the first one has a successor.
 */
async function drain(
  t: ExecutionContext,
  { node, selector, pod }: { node: string; selector: string; pod: string },
): Promise<void> {
  const kubectl = join(process.env['HELM_BIN'] ?? '', 'kubectl');
  const uncordon = () => run(kubectl, ['--kubeconfig', kubeconfigFile(), 'uncordon', node]);
  t.teardown(uncordon);
  const flags = ['--pod-selector', selector, '--delete-emptydir-data', '--timeout', '300s'];
  const child = spawn(kubectl, ['--kubeconfig', kubeconfigFile(), 'drain', node, ...flags]);
  const ended = once(child, 'exit');
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  try {
    await eventually('the budget keeps one pod', () => said.includes('disruption budget'), 30_000);
  } finally {
    await uncordon();
  }
  t.is((await ended)[0], 0, said);
  t.regex(said, new RegExp(`pod/${pod} evicted`));
  t.is(said.match(/^pod\/\S+ evicted$/gm)?.length, 2, said);
}

/** Sends a command, and returns its result. */
async function result(
  api: string,
  token: string,
  agentId: string,
  type: CommandType,
  payload: object,
): Promise<Result> {
  const key = randomUUID();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ type, key, payload });
  const sent = await fetch(`${api}/agents/${agentId}/commands`, { method: 'POST', headers, body });
  if (sent.status !== 202) throw new Error(`${sent.status}: ${await sent.text()}`);
  let found: Result | undefined;
  await eventually(
    `${type} has a result`,
    async () => {
      await sleep(200);
      const command = (await (await fetch(`${api}/commands/${key}`, { headers })).json()) as { result?: Result };
      found = command.result;
      return found !== undefined;
    },
    300_000,
  );
  if (found === undefined) throw new Error('it has a result');
  return found;
}

/** Returns the pods of the agent that run. */
async function podsOf(cluster: KubeCluster, namespace: string): Promise<{ name: string; ip: string }[]> {
  const labelSelector = 'app.kubernetes.io/component=agent';
  const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector });
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => ({ name: pod.metadata.name, ip: stringAt(pod, 'status', 'podIP') ?? '' }));
}

/** Returns the value of a series in the text of metrics. The order of its labels does not count. */
function valueOf(lines: string, series: string): number | undefined {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const wanted = labels.split(',').filter(Boolean);
  for (const [, given = '', value] of lines.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))) {
    if (wanted.every((label) => given.split(',').includes(label))) return Number(value);
  }
  return undefined;
}

async function archivesOf(): Promise<Record<keyof typeof charts, string>> {
  const entries = Object.entries(charts).map(async ([name, template]) => {
    const files = {
      [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
      [`${name}/templates/a.yaml`]: template,
    };
    return [name, (await archiveOf(files)).toString('base64')] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof charts, string>; // one for each chart
}
