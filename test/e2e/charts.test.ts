import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { credentialOf, formatAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { fieldAt } from '../../src/objects/fields.ts';
import { uniqueName } from '../api/environment.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { failureOf } from '../bin/support/world.ts';
import { tokensOf } from '../control-plane/support/credentials.ts';
import { postgresFolder, startPostgres } from '../control-plane/support/postgres.ts';
import { rawAgent } from '../control-plane/support/raw-agent.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { helm, runHelm } from './helm.ts';
import { buildImage } from './image.ts';
import { contentsOf, freeNamespace } from './namespaces.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const charts = ['helm-agent', 'helm-agent-control-plane'] as const;
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n';

/** Runs a helm command by helm 4 or by this program. */
type Helm = (...args: string[]) => Promise<string>;

const env = { ...process.env, KUBECONFIG: kubeconfigFile() };
const programs: Record<string, Helm> = {
  'helm 4': (...args) => helm('helm4', ...args),
  'helm-agent helm': async (...args) =>
    (await run(process.execPath, [program, 'helm', ...args], { env, timeout: 180_000 })).stdout,
};

for (const chart of charts) {
  test(`${chart} is linted without a finding, and rendered as helm 4 renders it, with all its example values`, async (t) => {
    t.timeout(120_000);
    const folder = join(deploy, chart);
    for (const file of await readdir(join(folder, 'ci'))) {
      const values = ['--values', join(folder, 'ci', file)];
      const texts: string[] = [];
      for (const [name, call] of Object.entries(programs)) {
        t.regex(await call('lint', '--strict', folder, ...values), /1 chart\(s\) linted, 0 chart\(s\) failed/, name);
        texts.push(await call('template', 'demo', folder, '--namespace', 'ns', ...values));
      }
      t.is(texts[0], texts[1], file);
      t.true((texts[0] ?? '').length > 1000);
    }
  });
}

const { E2E_IMAGE_BASE: base, E2E_LOAD_IMAGE: loadCommand, E2E_HOST_FROM_POD: host } = process.env;

if (!base || !loadCommand || !host) {
  test.skip('installs the charts (needs E2E_IMAGE_BASE, E2E_LOAD_IMAGE and E2E_HOST_FROM_POD)', (t) => t.pass());
} else {
  const building = buildImage(base, loadCommand, 'e2e-charts');

  for (const [name, call] of Object.entries(programs)) {
    test(`${name} installs, upgrades, tests, rolls back and uninstalls the agent's chart`, async (t) => {
      t.timeout(900_000, 'a busy machine, and the build of the image');
      const { cluster, namespace } = await restricted(t);
      const token = uniqueName('token');
      const plane = new ControlPlane({ authenticate: tokensOf({ [namespace]: token }) });
      t.teardown(() => plane.close());
      const url = `ws://${host}:${await plane.listen(0, '0.0.0.0')}`;
      await createSecret(cluster, namespace, 'helm-agent-token', { token });
      const values = await valuesFile(t, {
        ...{ controlPlane: { url, insecureTransport: true }, agentId: namespace },
        ...(await imageValues()),
        rights: { mode: 'namespaces', namespaces: [namespace] },
        settings: { HELM_AGENT_ALLOW_OWN_NAMESPACE: true },
      });
      const chart = join(deploy, 'helm-agent');
      const given = [chart, '--namespace', namespace, '--values', values, '--wait', '--timeout', '90s'];
      await call('install', 'agent', ...given);
      const connected = await plane.waitForAgent(namespace, AbortSignal.timeout(10_000));
      t.is(connected.agentId, namespace);
      const elsewhere = { releaseName: 'web', namespace: 'kube-system', createNamespace: false };
      const files = {
        'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
        'web/templates/a.yaml': configMap,
      };
      const chartArchive = (await archiveOf(files)).toString('base64');
      const refused = await failureOf(plane.install(namespace, { ...elsewhere, chartName: 'web', chartArchive }));
      t.is(refused.code, 'forbidden');
      await call('upgrade', 'agent', ...given, '--set', 'replicas=2');
      t.like(await deploymentOf(cluster, namespace, 'agent-helm-agent'), {
        spec: { replicas: 2 },
        status: { readyReplicas: 2 },
      });
      t.regex(await call('test', 'agent', '--namespace', namespace, '--timeout', '60s'), /Phase: +Succeeded/);
      await call('rollback', 'agent', '1', '--namespace', namespace, '--wait', '--timeout', '90s');
      t.like(await deploymentOf(cluster, namespace, 'agent-helm-agent'), { spec: { replicas: 1 } });
      await plane.waitForAgent(namespace, AbortSignal.timeout(30_000));
      await call('uninstall', 'agent', '--namespace', namespace, '--wait', '--timeout', '90s');
      await assertGone(t, cluster, namespace);
    });

    test(`${name} installs, upgrades, tests, rolls back and uninstalls the control plane's chart`, async (t) => {
      t.timeout(900_000, 'a busy machine, and the build of the image');
      const { cluster, namespace } = await restricted(t);
      const agents = formatAgentsFile([credentialOf('edge-1', uniqueName('token'))]);
      await createSecret(cluster, namespace, 'tokens', { agents, users: uniqueName('users') });
      const values = await valuesFile(t, {
        ...(await imageValues()),
        fullnameOverride: 'plane',
        tokens: { existingSecret: 'tokens' },
        persistence: { enabled: false },
      });
      const chart = join(deploy, 'helm-agent-control-plane');
      const given = [chart, '--namespace', namespace, '--values', values, '--wait', '--timeout', '90s'];
      await call('install', 'plane', ...given);
      await call('upgrade', 'plane', ...given, '--set', 'logLevel=debug');
      t.regex(await call('test', 'plane', '--namespace', namespace, '--timeout', '60s'), /Phase: +Succeeded/);
      await call('rollback', 'plane', '1', '--namespace', namespace, '--wait', '--timeout', '90s');
      t.like(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'plane' }), {
        data: { HELM_AGENT_LOG_LEVEL: 'info' },
      });
      await call('uninstall', 'plane', '--namespace', namespace, '--wait', '--timeout', '90s');
      await assertGone(t, cluster, namespace);
    });
  }

  const postgres = postgresFolder();
  const replicasTitle =
    "replicas of the control plane's chart are all ready, and serve while the one that leads is killed";
  if (postgres === undefined) test.skip(`${replicasTitle} (PostgreSQL is not installed)`, (t) => t.pass());
  else {
    test(replicasTitle, async (t) => {
      t.timeout(900_000, 'a busy machine, and the build of the image');
      const { cluster, namespace } = await restricted(t);
      const server = await startPostgres(postgres, { address: host });
      t.teardown(() => server.close());
      const users = uniqueName('users');
      const tokens = Array.from({ length: 3 }, () => uniqueName('token'));
      const agents = formatAgentsFile(tokens.map((token, index) => credentialOf(`edge-${index}`, token)));
      await createSecret(cluster, namespace, 'tokens', { agents, users });
      await createSecret(cluster, namespace, 'database', { url: await server.createDatabase() });
      const values = await valuesFile(t, {
        ...(await imageValues()),
        ...{ fullnameOverride: 'plane', replicas: 3, tokens: { existingSecret: 'tokens' } },
        database: { existingSecret: 'database' },
        networkPolicy: { egress: [{ ports: [{ port: server.port }] }] },
      });
      const given = [join(deploy, 'helm-agent-control-plane'), '--namespace', namespace, '--values', values];
      await helm('helm4', 'install', 'plane', ...given, '--wait', '--timeout', '120s');
      const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
      const addresses = pods.map((pod) => String(fieldAt(pod, 'status', 'podIP')));
      t.is(addresses.length, 3);
      await Promise.all(
        addresses.map((address, index) =>
          rawAgent(`ws://${address}:8088`, { agentId: `edge-${index}` }, tokens[index]),
        ),
      );
      const connected = async (address: string) => {
        const response = await fetch(`http://${address}:8088/api/agents`, {
          headers: { authorization: `Bearer ${users}` },
        });
        const body = (await response.json()) as { agents: Array<{ connected: boolean }> };
        return body.agents.filter((agent) => agent.connected).length;
      };
      await eventually('each replica serves all agents', async () =>
        (await Promise.all(addresses.map(connected))).every((count) => count === 3),
      );
      const leads = await Promise.all(
        addresses.map(async (address) => (await fetch(`http://${address}:8081/readyz/store`)).status === 200),
      );
      t.is(leads.filter(Boolean).length, 1);
      const leader = pods[leads.indexOf(true)];
      const started = performance.now();
      await cluster.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name: leader?.metadata.name ?? '' });
      const others = addresses.filter((_, index) => leads[index] !== true);
      await eventually('the others serve', async () => {
        const counts = await Promise.all(others.map((address) => connected(address).catch(() => undefined)));
        return counts.every((count) => count !== undefined);
      });
      t.log(`all others serve ${((performance.now() - started) / 1000).toFixed(1)} s after the leader was deleted`);
      await helm('helm4', 'upgrade', 'plane', ...given, '--set', 'logLevel=debug', '--set', 'podLabels.a=b', '--wait');
      await helm('helm4', 'uninstall', 'plane', '--namespace', namespace, '--wait');
    });
  }

  test('an agent whose chart lets it impersonate performs commands as the account, with its rights', async (t) => {
    t.timeout(900_000, 'a busy machine, and the build of the image');
    const { cluster, namespace } = await restricted(t);
    const work = freeNamespace(t, cluster);
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: work } });
    await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'deployer', namespace: work } });
    const data = { 'rights.yaml': `rules: []\ndefault: ${work}/deployer\n` };
    await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'rights', namespace }, data });
    const token = uniqueName('token');
    const plane = new ControlPlane({ authenticate: tokensOf({ [namespace]: token }) });
    t.teardown(() => plane.close());
    const url = `ws://${host}:${await plane.listen(0, '0.0.0.0')}`;
    await createSecret(cluster, namespace, 'helm-agent-token', { token });
    const values = await valuesFile(t, {
      ...{ controlPlane: { url, insecureTransport: true }, agentId: namespace },
      ...(await imageValues()),
      rights: {
        mode: 'impersonation',
        accounts: [{ namespace: work, name: 'deployer' }],
        mapping: { existingConfigMap: 'rights' },
      },
    });
    const given = ['--namespace', namespace, '--values', values, '--wait', '--timeout', '90s'];
    await helm('helm4', 'install', 'agent', join(deploy, 'helm-agent'), ...given);
    await plane.waitForAgent(namespace, AbortSignal.timeout(10_000));
    const refused = await plane.list(namespace, { namespace: work }).result;
    t.like(refused, { ok: false, error: { code: 'forbidden' } });
    t.true(JSON.stringify(refused).includes(`system:serviceaccount:${work}:deployer`), JSON.stringify(refused));
    const rbac = 'rbac.authorization.k8s.io';
    await cluster.create({
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'deployer', namespace: work } },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: work }],
    });
    // the API server's authorizer reads a new binding a moment later
    await eventually('the account may list', async () => (await plane.list(namespace, { namespace: work }).result).ok);
    await helm('helm4', 'uninstall', 'agent', '--namespace', namespace, '--wait');
  });

  test('the command that ctl enrol prints connects an agent, which needs its token only once', async (t) => {
    t.timeout(900_000, 'a busy machine, and the build of the image');
    const { cluster, namespace } = await restricted(t);
    const token = uniqueName('api');
    const plane = new ControlPlane({ apiToken: token });
    t.teardown(() => plane.close());
    const port = await plane.listen(0, '0.0.0.0');
    const enrol = spawn(process.execPath, [
      ...[program, 'ctl', 'enrol', namespace, '--server', `http://127.0.0.1:${port}`],
      ...['--control-plane', `ws://${host}:${port}`, '--insecure-transport', '--image', await building],
      ...['--chart', join(deploy, 'helm-agent'), '--namespace', namespace],
      ...['--token-file', await writtenFile(t, 'token', token)],
    ]);
    t.teardown(() => enrol.kill());
    const ended = once(enrol, 'exit');
    const said = text(enrol.stderr);
    const [line] = (await once(createInterface(enrol.stdout), 'line')) as [string];
    t.true(line.startsWith('helm install helm-agent '), line);
    const started = performance.now();
    const shell = `${join(process.env['HELM_BIN'] ?? '', 'helm4')} ${line.replace(/^helm /, '')}`;
    await run('sh', ['-c', shell], { env });
    t.is((await ended)[0], 0, await said);
    t.regex(await said, / is healthy/);
    t.log(`connected ${((performance.now() - started) / 1000).toFixed(1)} s after the start of helm install`);

    const { instanceId } = await plane.waitForAgent(namespace, AbortSignal.timeout(10_000));
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'helm-agent-enrolment' };
    await cluster.delete(secret);
    for (const { metadata } of await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace })) {
      await cluster.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name: metadata.name });
    }
    await eventually(
      'the next pod has proved the key',
      () => {
        const [agent] = plane.agents();
        return agent !== undefined && agent.instanceId !== instanceId;
      },
      90_000,
    );
    await helm('helm4', 'uninstall', 'helm-agent', '--namespace', namespace, '--wait');
  });

  async function imageValues() {
    const [repository = '', tag = ''] = (await building).split(/:(?=[^:/]+$)/);
    return { image: { repository, tag } };
  }
}

/** Returns a new namespace for pods that are Restricted. */
async function restricted(t: ExecutionContext): Promise<{ cluster: KubeCluster; namespace: string }> {
  const cluster = connectCluster({ text: kubeconfigText() });
  t.teardown(() => cluster.close());
  const namespace = freeNamespace(t, cluster);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
  return { cluster, namespace };
}

async function createSecret(cluster: KubeCluster, namespace: string, name: string, stringData: object): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData });
}

async function valuesFile(t: ExecutionContext, values: object): Promise<string> {
  return await writtenFile(t, 'values.json', JSON.stringify(values));
}

async function writtenFile(t: ExecutionContext, name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-values-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

async function deploymentOf(cluster: KubeCluster, namespace: string, name: string) {
  return await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name });
}

async function assertGone(t: ExecutionContext, cluster: KubeCluster, namespace: string): Promise<void> {
  const { stdout } = await runHelm('helm4', 'list', '--namespace', namespace, '--short');
  t.is(stdout.trim(), '');
  const kinds = [
    ...[
      ['apps/v1', 'Deployment'],
      ['v1', 'Service'],
      ['v1', 'ConfigMap'],
      ['policy/v1', 'PodDisruptionBudget'],
    ],
    ...[
      ['networking.k8s.io/v1', 'NetworkPolicy'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
    ],
  ] as [string, string][];
  t.deepEqual(await contentsOf(cluster, namespace, kinds), []);
}
