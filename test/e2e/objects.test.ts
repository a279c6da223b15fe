import { fileURLToPath } from 'node:url';
import test from 'ava';
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
  const watch = plane.watchObjects(agentId, { kind: 'secrets', namespace });
  const seen: string[] = [];
  const { result, events } = await performed(watch, ({ step, objects = [] }) => {
    if (step === 'watch' && seen.length === 0) {
      seen.push('begun');
      void cluster.create({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace } },
        stringData: { password },
      });
    }
    for (const { change, object } of objects) {
      const { name } = object['metadata'] as { name: string };
      seen.push(`${name} ${change}`);
      if (change === 'added') void cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name });
      if (change === 'deleted') void plane.cancel(agentId, { key: watch.key });
    }
  });
  t.deepEqual(seen.slice(1), ['keys added', 'keys deleted']);
  t.deepEqual(result, { ok: true, reported: 2 });
  t.false(JSON.stringify(events).includes(Buffer.from(password).toString('base64')));
});
