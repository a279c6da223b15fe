import { fileURLToPath } from 'node:url';
import test from 'ava';
import { commandTable } from '../../src/protocol/commands/index.ts';
import { metricsKinds } from '../operation/metrics-kinds.ts';
import { badlyNamedCommands, refusals } from '../protocol/support/bad-names.ts';
import { eventually } from '../support/eventually.ts';
import { useHarness } from './harness.ts';
import { freeNamespace } from './namespaces.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runCtl } from './twins.ts';

const charts = fileURLToPath(new URL('fixtures', import.meta.url));
const rights = ['--allow-rights', 'read,deploy,act,logs'];
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts, arguments: rights }));
const password = 'correct-horse-battery';

test('reads what is in a real cluster, without its secrets', async (t) => {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const ctl = (...args: string[]) => runCtl(harness(), [...args, '-n', namespace]);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace, annotations: { note: password } },
    stringData: { password },
  });
  const info = await ctl('cluster-info', '-o', 'json');
  const {
    version,
    nodes,
    namespaces,
    rights: allowed,
    missing,
  } = JSON.parse(info.stdout) as {
    version: string;
    nodes: { ready: boolean }[];
    namespaces: string[];
    rights: { verbs: string[] }[];
    missing?: string[];
  };
  t.regex(version, /^v1\./);
  t.true(nodes.length > 0);
  t.true(namespaces.includes(namespace));
  t.true(allowed.some(({ verbs }) => verbs.includes('*') || verbs.includes('create')));
  t.is(missing, undefined);

  for (const args of [
    ['get-object', 'secret', 'keys'],
    ['get-object', 'secret', 'keys', '-o', 'json'],
    ['describe', 'secrets', 'keys'],
    ['list-objects', 'secrets', '-o', 'yaml'],
    ['list-objects', 'secrets', '-A', '--max', '1000', '-o', 'json'],
  ]) {
    const { stdout, stderr, code } = await ctl(...args);
    t.is(code, 0, stderr);
    t.false(stdout.includes(password) || stdout.includes(Buffer.from(password).toString('base64')), args.join(' '));
  }
  const listed = await ctl('list-objects', 'cm', '--max', '1', '-A');
  t.regex(listed.stderr, /more; continue with --continue \S+/);
  const [, next = ''] = /--continue (\S+)/.exec(listed.stderr) ?? [];
  t.is((await ctl('list-objects', 'cm', '--max', '1', '-A', '--continue', next)).code, 0);
  t.regex((await ctl('list-objects', 'cm', '--continue', 'forged')).stderr, /\((bad_request|gone)\)/);
  t.regex((await ctl('get-object', 'sa', 'web')).stderr, /there is no ServiceAccount "web" .*; there are: default/);
  t.regex((await ctl('get-object', 'deploymnts', 'web')).stderr, /similar name: deployments.*\(unknown_kind\)/s);
  t.regex((await ctl('list-objects', 'pods', '-l', 'a=b=c')).stderr, /\(bad_request\)/);
});

test('follows the objects of a real cluster as they change, without their secrets', async (t) => {
  const { cluster, plane, agentId } = harness();
  const namespace = freeNamespace(t, cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const secret = (name: string) =>
    cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: { password } });
  await secret('first'); // its report says that the watch has begun
  const watch = plane.watchObjects(agentId, { kind: 'secrets', namespace });
  const seen: string[] = [];
  const { result, events } = await performed(watch, ({ objects = [] }) => {
    for (const { change, object } of objects) {
      const { name } = object['metadata'] as { name: string };
      seen.push(`${name} ${change}`);
      if (change === 'present') void secret('keys');
      if (change === 'added') void cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name });
      if (change === 'deleted') void plane.cancel(agentId, { key: watch.key });
    }
  });
  t.deepEqual(seen, ['first present', 'keys added', 'keys deleted']);
  t.deepEqual(result, { ok: true, reported: 3 });
  t.false(JSON.stringify(events).includes(Buffer.from(password).toString('base64')));
});

test('shows the usage that a metrics API in a real cluster serves', async (t) => {
  const { cluster } = harness();
  const kinds = await cluster.servedKinds(new AbortController().signal);
  if (kinds.some(({ apiVersion }) => apiVersion.startsWith('metrics.k8s.io/'))) {
    t.pass('the cluster has a metrics server, which measures by itself');
    return;
  }
  const namespace = freeNamespace(t, cluster);
  const ctl = (...args: string[]) => runCtl(harness(), ['top', ...args]);
  t.regex((await ctl('-n', namespace)).stderr, /does not serve the metrics API.*metrics-server.*\(unsupported\)/s);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const kind of metricsKinds) await cluster.create(kind);
  t.teardown(async () => {
    for (const { apiVersion, kind, metadata } of metricsKinds) {
      await cluster.delete({ apiVersion, kind, name: metadata.name });
    }
  });
  const create = (kind: string, metadata: { name: string; namespace?: string }, more: object) =>
    cluster.create({ apiVersion: 'metrics.k8s.io/v1beta1', kind, metadata, ...more });
  const containers = [{ name: 'app', usage: { cpu: '12345678n', memory: '65536Ki' } }];
  await eventually('the kinds are served', async () => {
    try {
      await create('PodMetrics', { name: 'web-0', namespace }, { containers });
      return true;
    } catch {
      return false;
    }
  });
  const [node] = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
  const name = node?.metadata.name ?? '';
  await create('NodeMetrics', { name }, { usage: { cpu: '100m', memory: '1Gi' } });
  const pods = await ctl('-n', namespace, '--containers');
  t.regex(pods.stdout, /web-0 +app +13m +64Mi/, pods.stderr);
  const nodes = await ctl('nodes');
  t.regex(nodes.stdout, new RegExp(`^${name} +100m +\\d+% +1024Mi +\\d+%$`, 'm'), nodes.stderr);
});

test('a real cluster is not asked about texts that cannot be names, or has nothing under them', async (t) => {
  t.timeout(120_000);
  const { plane, agentId, cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const granted = new Set(['read', 'deploy', 'act', 'logs']);
  for (const { type, payload, text } of await badlyNamedCommands(namespace)) {
    if (!granted.has(commandTable.definitions[type].right)) continue;
    const result = await plane.send(agentId, { type, payload }).result;
    const code = result.ok ? 'it was accepted' : result.error.code;
    t.true(refusals.has(code), `${text}: ${code}`);
  }
});
