import test from 'ava';
import type { ObjectQuery, ObservedChange } from '../../../src/objects/cluster.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';

const namespace = 'shop';
const pods: ObjectQuery = { apiVersion: 'v1', kind: 'Pod', namespace };
const labelled: ObjectQuery = { ...pods, labelSelector: 'app=web' };
const ignore = () => undefined;

/** Returns a cluster whose watches are open until they are aborted, or fail at once. */
function openCluster(refuses: (query: ObjectQuery) => boolean = () => false) {
  const open: ObjectQuery[] = [];
  const started: ObjectQuery[] = [];
  const listeners = new Map<ObjectQuery, (change: ObservedChange) => void>();
  return {
    open,
    started,
    send(change: ObservedChange) {
      for (const listener of listeners.values()) listener(change);
    },
    async *observe(query: ObjectQuery, signal: AbortSignal): AsyncGenerator<ObservedChange, void, undefined> {
      started.push(query);
      if (refuses(query)) throw Object.assign(new Error('pods is forbidden'), { code: 'forbidden' });
      open.push(query);
      yield { type: 'snapshot', objects: [] };
      while (!signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<ObservedChange | undefined>();
        listeners.set(query, resolve);
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
        const change = await promise;
        if (change) yield change;
      }
      open.splice(open.indexOf(query), 1);
    },
  };
}

/** Returns a timer that ends when the test says so. */
function manualTimer() {
  const running = new Set<() => void>();
  return {
    startTimer: (_: number, onEnd: () => void) => {
      running.add(onEnd);
      return () => running.delete(onEnd);
    },
    end: () => {
      for (const onEnd of running) onEnd();
      running.clear();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('shares one watch between all users, and closes it after the last', async (t) => {
  const cluster = openCluster();
  const tracker = createTracker(cluster);
  const users = Array.from({ length: 20 }, () => tracker.track(pods, ignore));
  await turn();
  t.deepEqual(cluster.started, [pods]);
  for (const user of users.slice(1)) await user.release();
  t.deepEqual(cluster.open, [pods]);
  await users[0]?.release();
  t.deepEqual(cluster.open, []);
});

test('a watch of all objects of a kind also serves those with a label', async (t) => {
  const cluster = openCluster();
  const tracker = createTracker(cluster);
  tracker.track(pods, ignore);
  tracker.track(labelled, ignore);
  await turn();
  t.deepEqual(cluster.started, [pods]);
  await tracker.close();
  t.deepEqual(cluster.open, []);
});

test('a watch lingers after its last user, and the next one continues with it', async (t) => {
  const cluster = openCluster();
  const { startTimer, end } = manualTimer();
  const tracker = createTracker(cluster, { linger: 5000, startTimer });
  const first = tracker.track(pods, ignore);
  await turn();
  await first.release();
  await first.release();
  t.deepEqual(cluster.open, [pods]);

  const second = tracker.track(pods, ignore);
  t.true(second.objects.isListed);
  end();
  await turn();
  t.deepEqual(cluster.open, [pods]);

  await second.release();
  end();
  await turn();
  t.deepEqual(cluster.open, []);
  t.deepEqual(cluster.started, [pods]);
});

test('tells all users about a list, and those who have looked for an object about its changes', async (t) => {
  const cluster = openCluster();
  const tracker = createTracker(cluster);
  const told = [0, 0, 0];
  const users = [0, 1, 2].map((index) => tracker.track(pods, () => (told[index] = (told[index] ?? 0) + 1)));
  await turn();
  t.deepEqual(told, [1, 1, 1]);
  users[0]?.objects.find({ namespace, name: 'a' });
  users[1]?.objects.find({ namespace, name: 'a' });
  users[2]?.objects.find({ namespace, name: 'b' });
  cluster.send({ type: 'changed', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace } } });
  await turn();
  t.deepEqual(told, [2, 2, 1]);
  await tracker.close();
});

test('tells its users about a refusal, and tries again for the next ones', async (t) => {
  let isForbidden = true;
  const cluster = openCluster(() => isForbidden);
  const tracker = createTracker(cluster, { linger: 5000 });
  const first = tracker.track(pods, ignore);
  await turn();
  t.is(first.objects.refusal?.message, 'pods is forbidden');
  await first.release();

  isForbidden = false;
  const second = tracker.track(pods, ignore);
  await turn();
  t.is(second.objects.refusal, undefined);
  t.true(second.objects.isListed);
  await tracker.close();
});

test('one user can have several shares in a watch', async (t) => {
  const cluster = openCluster();
  const tracker = createTracker(cluster);
  const [first, second] = [tracker.track(pods, ignore), tracker.track(pods, ignore)];
  await turn();
  await first.release();
  t.deepEqual(cluster.open, [pods]);
  await second.release();
  t.deepEqual(cluster.open, []);
});
