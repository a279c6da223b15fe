import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { Cancellation } from '../../src/operation/cancellation.ts';
import type { Progress } from '../../src/operation/progress.ts';
import { releaseStatus } from '../../src/operation/release-status.ts';
import type { StartTimer } from '../../src/operation/time-limit.ts';
import { watchRelease } from '../../src/operation/watch-release.ts';
import { eventually } from '../support/eventually.ts';
import { configMap, deployment } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest } from './world.ts';

const test = sandboxTest();
const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': deployment('web', { replicas: 2 }) });

async function watched(t: ExecutionContext<Parameters<typeof newWorld>[0]['context']>, startTimer?: StartTimer) {
  const world = newWorld(t, chart);
  await world.install(chart);
  const stop = new AbortController();
  const packets: Progress[] = [];
  const request = { namespace: world.namespace, releaseName };
  const context = world.context({
    signal: stop.signal,
    progress: (item) => void packets.push(item),
    ...(startTimer && { startTimer }),
  });
  const ended = watchRelease(context, request);
  const texts = () =>
    packets.map(({ resources = [] }) =>
      resources.map(({ name, status, counts, problem }) =>
        [
          name,
          status,
          ...(counts ? [`${counts.ready}/${counts.wanted}`] : []),
          ...(problem ? [problem.code] : []),
        ].join(' '),
      ),
    );
  /** Resolves when a packet has such a text. */
  const seen = async (text: RegExp) => {
    while (
      !texts()
        .flat()
        .some((one) => text.test(one))
    )
      await sleep(5);
  };
  return { world, request, stop, ended, packets, texts, seen };
}

test('reports all objects of a release at first, and then only those that change, until it is cancelled', async (t) => {
  const { world, request, stop, ended, packets, texts, seen } = await watched(t);
  await seen(/^web Current 2\/2/);
  const first = texts().find((packet) => packet.length > 0);
  t.deepEqual(first, ['a Current', 'web Current 2/2']);

  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' };
  const annotations = { 'sandbox.helm-agent/behaviour': 'image-pull-error' };
  await world.cluster.mergePatch(ref, { spec: { replicas: 3, template: { metadata: { annotations } } } });
  await seen(/^web InProgress \d\/3 image_/);
  t.deepEqual(
    texts()
      .flat()
      .filter((text) => text.startsWith('a ')),
    ['a Current'],
  );

  await world.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' });
  await seen(/^a NotFound/);
  const now = await releaseStatus(world.context(), request);
  stop.abort(new Cancellation('enough', 'undo'));
  const { release, resources } = await ended;
  t.is(release.version, 1);
  const states = (all: typeof resources) => all.map(({ name, status }) => `${name} ${status}`);
  t.deepEqual(states(resources), states(now.resources));
  t.deepEqual([packets[0]?.state, packets.at(-1)?.state, packets.at(-1)?.step], ['running', 'done', 'watch']);
});

test('an object without the label of Helm is followed, too', async (t) => {
  const { world, stop, ended, seen } = await watched(t);
  await seen(/^a Current/);
  stop.abort(new Cancellation('enough', 'undo'));
  await ended;
  const { namespace } = world;
  const labels = { 'app.kubernetes.io/managed-by': null };
  await world.cluster.mergePatch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' },
    { metadata: { labels } },
  );
  const again = new AbortController();
  const packets: Progress[] = [];
  const second = watchRelease(world.context({ signal: again.signal, progress: (item) => void packets.push(item) }), {
    namespace,
    releaseName,
  });
  await eventually('a resource is reported', () => packets.some(({ resources = [] }) => resources.length > 0));
  again.abort(new Cancellation('enough', 'undo'));
  t.deepEqual(
    (await second).resources.map(({ name, status }) => `${name} ${status}`),
    ['a Current', 'web Current'],
  );
});

test('ends by itself when its time is over', async (t) => {
  const timers: (() => void)[] = [];
  const { ended, seen } = await watched(t, (_, onEnd) => {
    timers.push(onEnd);
    return () => undefined;
  });
  await seen(/^a Current/);
  for (const end of timers) end();
  t.is((await ended).resources.length, 2);
});

test('throws the reason if the process ends', async (t) => {
  const { stop, ended, seen } = await watched(t);
  await seen(/^a Current/);
  stop.abort(new Error('the agent is shutting down'));
  await t.throwsAsync(ended, { message: 'the agent is shutting down' });
});

test('a release that does not exist is an error', async (t) => {
  const world = newWorld(t, chart);
  const request = { namespace: world.namespace, releaseName: 'missing' };
  await t.throwsAsync(watchRelease(world.context(), request), { code: 'release_not_found' });
});
