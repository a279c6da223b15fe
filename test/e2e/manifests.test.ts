import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { CommandResult, SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { uniqueName } from '../api/environment.ts';
import { type CrashWorld, crashWorld, kill, statuses } from '../bin/support/crash-world.ts';
import { answerOf, failureOf } from '../bin/support/world.ts';
import { configMap, crd, deployment, job } from '../operation/manifests.ts';
import { realHost } from '../support/host.ts';
import { useHarness } from './harness.ts';
import { contentsOf, freeNamespace } from './namespaces.ts';
import { openHarness } from './open-harness.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runCtl } from './twins.ts';

const localCharts = fileURLToPath(new URL('fixtures', import.meta.url));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts }));

const kinds = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
] as const;

/** A Deployment whose image the node has. */
const web = deployment('web', { hasProbe: false });
const text = (...manifests: string[]) => manifests.join('---\n');

function inNamespace(t: ExecutionContext) {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const contents = () => contentsOf(cluster, namespace, kinds);
  const valueOf = async (name: string) => {
    const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
    return (found?.['data'] as { value?: string } | undefined)?.value;
  };
  const ctl = async (files: Record<string, string>, ...args: string[]) => {
    const { stdout, stderr, code } = await runCtl(harness(), [...args, '-n', namespace], files);
    return { stdout, stderr, code };
  };
  const apply = (manifests: string, ...args: string[]) => ctl({ '-': manifests }, 'apply', 'site', '-f', '-', ...args);
  return { namespace, contents, valueOf, ctl, apply };
}

test('ctl applies, changes, prunes, rolls back and deletes manifests on a real cluster', async (t) => {
  const { contents, valueOf, ctl, apply } = inNamespace(t);
  const succeeds = async (ended: ReturnType<typeof apply>, expected: RegExp) => {
    const { stdout, stderr, code } = await ended;
    t.is(code, 0, stderr);
    t.regex(stdout, expected);
  };
  await succeeds(apply(text(configMap('a'), configMap('b'), web)), /REVISION:\s+1\n.*STATUS:\s+deployed/);
  t.deepEqual(await contents(), ['ConfigMap/a', 'ConfigMap/b', 'Deployment/web']);

  const changed = text(configMap('a', '2'), configMap('c'), web);
  await succeeds(
    apply(changed, '--dry-run'),
    /^~ v1 ConfigMap \S+\/a\n.*\+ v1 ConfigMap \S+\/c\n.*- v1 ConfigMap \S+\/b\n/s,
  );
  t.is(await valueOf('a'), '1');
  await succeeds(apply(changed), /REVISION:\s+2\n/);
  t.deepEqual(await contents(), ['ConfigMap/a', 'ConfigMap/c', 'Deployment/web']);
  await succeeds(apply(changed, '--unchanged', 'skip'), /^Nothing changes; revision 2 stays/);
  await succeeds(apply(changed, '--dry-run'), /^Nothing would change/);

  const broken = text(configMap('a', '3'), configMap('d'), job('broken', { args: ['fail'] }));
  const failed = await apply(broken, '--no-prune');
  t.is(failed.code, 1);
  t.regex(failed.stderr, /has been rolled back.*\(not_ready\)/s);
  t.deepEqual(await contents(), ['ConfigMap/a', 'ConfigMap/c', 'Deployment/web']);
  t.is(await valueOf('a'), '2');

  await succeeds(ctl({}, 'rollback', 'site', '1'), /./);
  t.deepEqual(await contents(), ['ConfigMap/a', 'ConfigMap/b', 'Deployment/web']);
  await succeeds(ctl({}, 'history', 'site'), /manifest-set-1\.0\.0/);
  await succeeds(ctl({}, 'delete-manifests', 'site'), /^site deleted/);
  t.deepEqual(await contents(), []);
});

test('CRDs of a set are established before its objects of their kinds', async (t) => {
  const { plane, agentId, cluster } = harness();
  const { namespace } = inNamespace(t);
  const name = uniqueName('settool').replaceAll('-', '');
  const definition = crd(name);
  const { spec } = JSON.parse(definition) as { spec: { names: { kind: string } } }; // of the line above
  const { kind } = spec.names;
  const ref = { apiVersion: 'e.io/v1', kind, namespace, name: 'one' };
  const object = JSON.stringify({ apiVersion: 'e.io/v1', kind, metadata: { name: 'one' }, spec: { size: 1 } });
  const set = { namespace, releaseName: 'tools' };
  const { outcome, result } = await performed(
    plane.applyManifests(agentId, { ...set, manifests: text(`${object}\n`, definition) }),
  );
  t.is(outcome, 'deployed', JSON.stringify(result));
  t.truthy(await cluster.get(ref));
  const other = { namespace, releaseName: 'others', manifests: definition };
  t.is((await performed(plane.applyManifests(agentId, other))).outcome, 'ownership_conflict');
  await performed(plane.deleteManifests(agentId, set));
  t.is(
    await cluster.get({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: `${name}s.e.io`,
    }),
    undefined,
  );
});

test('a forged inventory neither deletes nor changes the objects of others', async (t) => {
  const { plane, agentId, cluster } = harness();
  const { namespace, contents, valueOf } = inNamespace(t);
  const set = { namespace, releaseName: 'site' };
  await answerOf(plane.applyManifests(agentId, { ...set, manifests: configMap('a') }));
  await answerOf(plane.applyManifests(agentId, { namespace, releaseName: 'other', manifests: configMap('theirs') }));
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'unowned', namespace } });

  const storage = openStorage('secret', { cluster, host: realHost, onUnreadable: () => undefined });
  const stored = await storage.get({ namespace, name: 'site', version: 1 });
  if (stored === undefined) throw new Error('the set has a record');
  const manifest = text('', configMap('a'), configMap('theirs', 'x'), configMap('unowned', 'x'));
  await storage.update({ ...stored, release: { ...stored.release, manifest } });

  await answerOf(plane.applyManifests(agentId, { ...set, manifests: configMap('b') }));
  t.deepEqual(await contents(), ['ConfigMap/b', 'ConfigMap/theirs', 'ConfigMap/unowned']);
  const newest = await storage.get({ namespace, name: 'site', version: 2 });
  if (newest === undefined) throw new Error('the set has another record');
  await storage.update({ ...newest, release: { ...newest.release, manifest: text(manifest, configMap('b')) } });
  await answerOf(plane.deleteManifests(agentId, set));
  t.deepEqual(await contents(), ['ConfigMap/theirs', 'ConfigMap/unowned']);
  t.is(await valueOf('theirs'), '1');
});

test('objects and releases of others are refused, until they are taken over', async (t) => {
  const { plane, agentId, cluster } = harness();
  const { namespace, contents, valueOf } = inNamespace(t);
  const codeOf = async (command: SentCommand) => (await failureOf(command)).code;
  const apply = (releaseName: string, manifests: string, takeOwnership = false) =>
    plane.applyManifests(agentId, { namespace, releaseName, manifests, takeOwnership });
  await answerOf(apply('one', configMap('a')));
  t.is(await codeOf(apply('two', text(configMap('a', '2'), configMap('b')))), 'ownership_conflict');
  t.deepEqual(await contents(), ['ConfigMap/a']);
  await answerOf(apply('two', text(configMap('a', '2'), configMap('b')), true));
  await answerOf(plane.deleteManifests(agentId, { namespace, releaseName: 'one' }));
  t.is(await valueOf('a'), '2');
  await answerOf(plane.install(agentId, { namespace, releaseName: 'chart', chartName: 'note' }));
  t.is(await codeOf(apply('chart', configMap('c'))), 'ownership_conflict');
  t.is(await codeOf(plane.deleteManifests(agentId, { namespace, releaseName: 'chart' })), 'ownership_conflict');

  const named = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace };
  const edited: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace },
    ...{ data: { value: '9' } },
  };
  await cluster.apply(edited, { fieldManager: 'someone', force: true });
  const { code, message } = await failureOf(apply('two', configMap('a', '3')));
  t.is(code, 'conflict', message);
  await answerOf(
    plane.applyManifests(agentId, {
      namespace,
      releaseName: 'two',
      manifests: configMap('a', '3'),
      forceConflicts: true,
    }),
  );
  t.like(await cluster.get(named), { data: { value: '3' } });
});

test('an agent that may only read applies and deletes nothing', async (t) => {
  const { cluster } = harness();
  const namespace = freeNamespace(t, cluster);
  const reading = await openHarness({
    kubeconfig: kubeconfigText(),
    localCharts,
    arguments: ['--allow-rights', 'read'],
  });
  t.teardown(() => reading.close());
  const { plane, agentId } = reading;
  const set = { namespace, releaseName: 'site' };
  t.is((await failureOf(plane.applyManifests(agentId, { ...set, manifests: configMap('a') }))).code, 'forbidden');
  t.is((await failureOf(plane.deleteManifests(agentId, set))).code, 'forbidden');
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }), undefined);
});

const badInputs: Readonly<Record<string, readonly [fields: object, code: string]>> = {
  'no manifests': [{ manifests: undefined }, 'bad_payload'],
  'manifests that are no text': [{ manifests: { kind: 'ConfigMap' } }, 'bad_payload'],
  'too many manifests': [{ manifests: '#'.repeat(5 * 1024 * 1024 + 1) }, 'bad_payload'],
  'manifests that are not YAML': [{ manifests: 'a: [' }, 'invalid_manifest'],
  'a kind that the cluster does not have': [
    { manifests: 'apiVersion: e.io/v1\nkind: Nothing\nmetadata: { name: a }\n' },
    'invalid_manifest',
  ],
  'a value that the API server refuses': [
    { manifests: 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\n' },
    'apply_failed',
  ],
  'a name of a set that Kubernetes does not allow': [{ releaseName: 'A B' }, 'invalid_release_name'],
  'a namespace that Kubernetes does not allow': [{ namespace: '../x' }, 'invalid_namespace'],
  'a switch that is a number': [{ prune: 7 }, 'bad_payload'],
  'a time limit that is no duration': [{ timeout: 'soon' }, 'bad_payload'],
  'a way to recreate that does not exist': [{ recreate: 'always' }, 'bad_payload'],
  'a storage that does not exist': [{ storage: 'disk' }, 'bad_payload'],
};

test('bad input of each field is refused, and changes nothing', async (t) => {
  const { plane, agentId } = harness();
  const { namespace, contents } = inNamespace(t);
  for (const [title, [fields, code]] of Object.entries(badInputs)) {
    const payload = { namespace, releaseName: 'site', manifests: configMap('a'), ...fields };
    const send = () => plane.applyManifests(agentId, payload);
    t.is(await refusal(send), code, title);
  }
  t.deepEqual(await contents(), []);
});

/** Returns the code with which the control plane or the agent refuses a command. */
async function refusal(send: () => SentCommand): Promise<unknown> {
  try {
    return (await failureOf(send())).code;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const first = text(configMap('a'), configMap('b'), web);
const second = text(configMap('a', '2'), configMap('c'), deployment('web', { hasProbe: false, replicas: 2 }));
const failing = text(configMap('a', '3'), job('broken', { args: ['fail'] }));

type Send = (world: CrashWorld, namespace: string) => SentCommand;

const applying =
  (manifests: string): Send =>
  ({ plane, agentId }, namespace) =>
    plane.applyManifests(agentId, { namespace, releaseName: 'web', manifests });

/** Commands on a set, of which the last one is interrupted. */
const interrupted: Readonly<Record<string, { before: readonly Send[]; send: Send }>> = {
  first: { before: [], send: applying(first) },
  second: { before: [applying(first)], send: applying(second) },
  failing: { before: [applying(first)], send: applying(failing) },
  deletion: {
    before: [applying(first)],
    send: ({ plane, agentId }, namespace) => plane.deleteManifests(agentId, { namespace, releaseName: 'web' }),
  },
};

test.serial('sets have one effect and one result, whenever the agent is killed', async (t) => {
  t.timeout(600_000, 'a busy machine');
  const admin = connectCluster({ text: kubeconfigText() });
  t.teardown(() => admin.close());
  const prefix = freeNamespace(
    t,
    admin,
    Object.keys(interrupted).flatMap((name) => [`${name}-whole`, `${name}-killed`]),
  );
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: prefix } });
  const world = await crashWorld({ kubeconfig: kubeconfigText(), agentNamespace: prefix });
  t.teardown(() => world.close());
  let child = await world.start();
  const namespaceOf = (name: string, round: string) => `${prefix}-${name}-${round}`;
  const sendAll = async (round: string) => {
    const sent: SentCommand[] = [];
    for (const [name, { before, send }] of Object.entries(interrupted)) {
      for (const each of before) t.true((await each(world, namespaceOf(name, round)).result).ok);
      sent.push(send(world, namespaceOf(name, round)));
    }
    return sent;
  };
  const resultsOf = async (round: string, commands: readonly SentCommand[]) =>
    await Promise.all(
      Object.keys(interrupted).map(async (name, index) => {
        const result: CommandResult | undefined = await commands[index]?.result;
        return { name, ok: result?.ok, left: await world.left(namespaceOf(name, round)) };
      }),
    );
  const expected = await resultsOf('whole', await sendAll('whole'));
  const killed: SentCommand[] = [];
  for (const [name, { before, send }] of Object.entries(interrupted)) {
    for (const each of before) t.true((await each(world, namespaceOf(name, 'killed')).result).ok);
    const command = send(world, namespaceOf(name, 'killed'));
    killed.push(command);
    await statuses(command, 12);
    await kill(world, child);
    child = await world.start();
    await command.result;
  }
  t.deepEqual(await resultsOf('killed', killed), expected);
  for (const command of killed) {
    let isResumed = false;
    for await (const { type, payload } of command) isResumed ||= type === 'accepted' && 'resumed' in payload;
    t.true(isResumed, command.type);
  }
});
