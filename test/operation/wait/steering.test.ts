import type { Cluster } from '../../../src/objects/cluster.ts';
import { Cancellation } from '../../../src/operation/cancellation.ts';
import type { Progress } from '../../../src/operation/progress.ts';
import { releaseStatus } from '../../../src/operation/release-status.ts';
import { watchRelease } from '../../../src/operation/watch-release.ts';
import { eventually } from '../../support/eventually.ts';
import { configMap, hook, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

const readyWhen = 'helm-agent/ready-when';
/** Annotations that make each wait fail. */
const failing = { [readyWhen]: 'condition=Never', 'helm-agent/failed-when': 'jsonpath={.kind}' };

async function statusOf(world: World): Promise<string | undefined> {
  const { resources } = await releaseStatus(world.context(), { namespace: world.namespace, releaseName });
  return resources[0]?.status;
}

/** Returns the status of the first object as a watch sees it at first. */
async function watchedStatus(world: World): Promise<string | undefined> {
  const stop = new AbortController();
  const packets: Progress[] = [];
  const context = world.context({ signal: stop.signal, progress: (item) => void packets.push(item) });
  const ended = watchRelease(context, { namespace: world.namespace, releaseName });
  await eventually('a resource is reported', () => packets.some(({ resources = [] }) => resources.length > 0));
  stop.abort(new Cancellation('enough', 'undo'));
  return (await ended).resources[0]?.status;
}

test('annotations that others have added to a live object fail neither an upgrade nor a status', async (t) => {
  const [first, second] = [textChart({ 'a.yaml': configMap('a') }), textChart({ 'a.yaml': configMap('a', '2') })];
  const world = newWorld(t, first, second);
  await world.install(first);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  await world.cluster.mergePatch(ref, { metadata: { annotations: failing } });
  t.is(await statusOf(world), 'Current');
  t.is(await watchedStatus(world), 'Current');
  t.is((await world.upgrade(second)).info.status, 'deployed');
  t.like(await world.find('ConfigMap', 'a'), { data: { value: '2' }, metadata: { annotations: failing } });
});

test('annotations of the chart count even if others have changed or removed them', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a', '1', { [readyWhen]: 'jsonpath={.data.value}=1' }) });
  const world = newWorld(t, chart);
  await world.install(chart);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' };
  for (const annotations of [{ [readyWhen]: 'jsonpath={.kind}' }, { [readyWhen]: null }]) {
    await world.cluster.mergePatch(ref, { metadata: { annotations }, data: { value: '2' } });
    t.is(await statusOf(world), 'InProgress');
    t.is(await watchedStatus(world), 'InProgress');
  }
});

test('the wait for a hook follows the annotations of the chart', async (t) => {
  const never = {
    ...hook('pre-install'),
    'helm-agent/failed-when': 'jsonpath={.kind}=Job',
    [readyWhen]: 'condition=Never',
  };
  const chart = textChart({ 'job.yaml': job('own', { annotations: never }) });
  await t.throwsAsync(newWorld(t, chart).install(chart), {
    code: 'hook_failed',
    message: /jsonpath=\{\.kind\}=Job is met/,
  });

  const plain = textChart({ 'job.yaml': job('plain', { annotations: hook('pre-install') }) });
  const world = newWorld(t, plain);
  const cluster: Cluster = {
    ...world.cluster,
    async apply(object, options) {
      const applied = await world.cluster.apply(object, options);
      if (object.kind !== 'Job') return applied;
      const { namespace = '', name } = applied.metadata;
      const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace, name };
      return await world.cluster.mergePatch(ref, { metadata: { annotations: failing } });
    },
  };
  t.is((await world.install(plain, {}, { cluster })).info.status, 'deployed');
});
