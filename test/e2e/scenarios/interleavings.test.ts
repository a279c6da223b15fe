import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { useHarness } from '../harness.ts';
import { runHelm } from '../helm.ts';
import { compareStates, stateOf } from '../namespace-state.ts';
import { freeNamespace } from '../namespaces.ts';
import { kubeconfigText } from '../real-cluster.ts';
import { isWanted } from '../wanted-differences.ts';
import { writeChart } from '../written-chart.ts';
import { type ActorStep, interleaving } from './interleavings.ts';
import { configMap, deployment, documents, edit, hookMap, mapRef, service } from './manifests.ts';
import { packetsOf } from './packets.ts';
import { usualKinds } from './scenario.ts';
import { slots } from './slots.ts';

// To repeat a run: INTERLEAVING_SEED=NUMBER npm run test:e2e, with the number from the titles.
const firstSeed = Number(process.env['INTERLEAVING_SEED'] ?? randomInt(1_000_000));
const count = 20;
const length = 8;

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-interleavings-'));
test.after.always(() => rm(folder, { recursive: true }));
const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: folder }));
const inSlot = slots(4);

const settings = '{{ .Values.size | default 1 | quote }}';
const charts = {
  one: documents(
    configMap('map', { a: '1', size: settings }),
    deployment('web'),
    hookMap('before', 'pre-upgrade,pre-rollback'),
  ),
  two: documents(
    configMap('map', { a: '2', b: '1', greeting: '{{ .Values.greeting | default `none` }}' }),
    deployment('web', { minReadySeconds: 1, container: { env: [{ name: 'A', value: '1' }] } }),
    service('web'),
  ),
  three: documents(
    configMap('map', { b: '2', size: settings }),
    configMap('third'),
    service('web', { ports: [{ port: 81 }] }),
  ),
  bad: documents(configMap('map', { a: '4' }), configMap('new'), configMap('Not_A_Name')),
};

test.before('charts', async () => {
  for (const [name, manifest] of Object.entries(charts)) await writeChart(folder, name, { manifest });
});

/** Performs a step by its actor. Returns whether it succeeded. */
async function perform({ actor, line }: ActorStep, namespace: string): Promise<boolean> {
  const words = line.split(' ');
  if (actor === 'agent') {
    const [packet] =
      packetsOf(
        words.map((word) => word.replace(/^@/, '')),
        namespace,
      ) ?? [];
    if (packet === undefined) throw new Error(`there is no packet for ${line}`);
    return (await harness().plane.send(harness().agentId, packet).result).ok;
  }
  const args = words.map((word) => word.replace(/^@/, `${folder}/`));
  return (await runHelm(actor, ...args, '--namespace', namespace)).code === 0;
}

/** Returns what differs between a namespace that only helm has changed and another one. */
async function differences(ofHelm: string, mixed: string): Promise<string[]> {
  const states = await Promise.all(
    [ofHelm, mixed].map((namespace) => stateOf(harness().cluster, { namespace, kinds: usualKinds })),
  );
  return compareStates(states[0], states[1]);
}

const endAlike = test.macro({
  title: (_, seed: number) => `helm 3, helm 4 and the agent in turn leave what helm leaves, with the seed ${seed}`,
  exec: (t, seed: number) => inSlot(() => compareInterleaving(t, seed)),
});

async function compareInterleaving(t: ExecutionContext, seed: number): Promise<void> {
  const { cluster } = harness();
  const namespaces = [freeNamespace(t, cluster), freeNamespace(t, cluster)] as const;
  const [ofHelm, mixed] = namespaces;
  for (const name of namespaces) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const done: string[] = [];
  for (const [index, step] of interleaving(seed, length).entries()) {
    done.push(`${step.actor}: ${step.line}`);
    const helmStep: ActorStep = step.actor === 'agent' ? { ...step, actor: 'helm4' } : step;
    const [expected, actual] = await Promise.all([perform(helmStep, ofHelm), perform(step, mixed)]);
    t.is(actual, expected, done.join('\n'));
    const found = await differences(ofHelm, mixed);
    t.deepEqual(
      found.filter((difference) => !isWanted(difference, t.title)),
      [],
      done.join('\n'),
    );
    if (index === 2) for (const namespace of namespaces) await driftIfThere(namespace);
  }
}

/** Changes a field as another client. */
async function driftIfThere(namespace: string): Promise<void> {
  const { cluster } = harness();
  if ((await cluster.get({ ...mapRef('map'), namespace })) === undefined) return;
  await edit(mapRef('map'), { data: { theirs: 'x' } })({
    name: 'helm',
    namespace,
    cluster,
    perform: () => Promise.resolve(undefined),
  });
}

for (let i = 0; i < count; i++) test(endAlike, firstSeed + i);
