import type { ExecutionContext } from 'ava';
import { abortable, abortReason, whenAborted } from '../../../src/async/index.ts';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { Cancellation } from '../../../src/operation/cancellation.ts';
import type { OperationContext, TakeTurn } from '../../../src/operation/context.ts';
import { correctRelease } from '../../../src/operation/drift/correct-release.ts';
import { CorrectionCounts } from '../../../src/operation/drift/correction-counts.ts';
import { watchRelease } from '../../../src/operation/watch-release.ts';
import { decide } from '../../../src/policy/command-policy.ts';
import { PolicyError } from '../../../src/policy/policy-error.ts';
import { readPolicy } from '../../../src/policy/policy-rules.ts';
import type { Drift } from '../../../src/protocol/drift.ts';
import { SignatureError } from '../../../src/signatures/signature-error.ts';
import { eventually } from '../../support/eventually.ts';
import { realHost } from '../../support/host.ts';
import { configMap, deployment } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();
type Context = ExecutionContext<Parameters<typeof newWorld>[0]['context']>;

const chart = textChart({ 'a.yaml': configMap('a'), 'd.yaml': deployment('web', { replicas: 2 }) });
const second = textChart({ 'a.yaml': configMap('a', '2'), 'd.yaml': deployment('web', { replicas: 2 }) });

async function installed(t: Context): Promise<World> {
  const world = newWorld(t, chart, second);
  await world.install(chart);
  return world;
}

const a = (world: World) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'a' });
const web = (world: World) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: world.namespace, name: 'web' });
const valueOf = (object: KubeObject | undefined) => object?.['data'];

/** A clock that jumps to the end of each pause. */
function jumpingClock(start = Date.now()) {
  const clock = { time: start };
  const context: Pick<OperationContext, 'host' | 'startWakeTimer'> = {
    host: { ...realHost, now: () => BigInt(clock.time) * 1_000_000n },
    startWakeTimer(delay, onEnd) {
      clock.time += delay;
      setImmediate(onEnd);
      return () => undefined;
    },
  };
  return Object.assign(clock, { context });
}

/** Follows the release of a world, and collects what it reports. */
function following(
  world: World,
  follow: 'watch' | 'correct',
  { ignore, ...given }: { ignore?: string[] } & Partial<OperationContext> = {},
) {
  const stop = new AbortController();
  const reported: Drift[] = [];
  const context = world.context({
    signal: stop.signal,
    progress: ({ drift = [] }) => void reported.push(...drift),
    ...given,
  });
  const request = { namespace: world.namespace, releaseName, ...(ignore && { ignore }) };
  const ended =
    follow === 'watch'
      ? watchRelease(context, { ...request, drift: true })
      : correctRelease(context, { ...request, watch: true });
  const texts = () =>
    reported.map(({ name, change, corrected, reason = '' }) =>
      [name, change, ...(corrected === true ? ['corrected'] : []), ...(reason === '' ? [] : [reason])].join(' '),
    );
  return {
    reported,
    texts,
    seen: (text: RegExp) => eventually(`${String(text)} is reported`, () => texts().some((one) => text.test(one))),
    end: async () => {
      stop.abort(new Cancellation('enough', 'undo'));
      return await ended;
    },
  };
}

test('reports what differs at first, then each change, until it is as the release has it again', async (t) => {
  const world = await installed(t);
  const { cluster } = world;
  await cluster.mergePatch(a(world), { data: { value: '2' } }, { fieldManager: 'kubectl-edit' });
  const { reported, texts, seen, end } = following(world, 'watch');
  await seen(/^a changed/);
  t.like(reported[0]?.fields, [{ path: 'data.value', found: '2', wanted: '1', manager: 'kubectl-edit' }]);
  await cluster.mergePatch(a(world), { data: { value: '1' } });
  await seen(/^a none/);
  await cluster.mergePatch(web(world), { spec: { replicas: 1 } });
  await seen(/^web changed/);
  await cluster.delete(a(world));
  await seen(/^a deleted/);
  t.like(await end(), { drift: [{ name: 'a' }, { name: 'web' }] });
  t.deepEqual(texts(), ['a changed', 'a none', 'web changed', 'a deleted']);
});

test('a change of the status of an object is not compared', async (t) => {
  const world = await installed(t);
  let dryRuns = 0;
  const { cluster } = world;
  const counting = { ...cluster };
  counting.apply = (object, options) => {
    dryRuns += 1;
    return cluster.apply(object, options);
  };
  const counted = { ...world, context: (given = {}) => world.context({ cluster: counting, ...given }) };
  const { end } = following(counted, 'watch');
  await eventually('both objects are compared', () => dryRuns === 2);
  const [pod] = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: world.namespace });
  await cluster.delete({ apiVersion: 'v1', kind: 'Pod', namespace: world.namespace, name: pod?.metadata.name ?? '' });
  const before = (await cluster.get(web(world)))?.metadata.resourceVersion;
  await eventually(
    'the status changes',
    async () => (await cluster.get(web(world)))?.metadata.resourceVersion !== before,
  );
  await end();
  t.is(dryRuns, 2);
});

test('an upgrade is no drift, and the next revision is followed', async (t) => {
  const world = await installed(t);
  const { texts, seen, end } = following(world, 'correct');
  await world.upgrade(second);
  await world.cluster.delete(web(world));
  await seen(/^web deleted corrected/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '2' });
  await world.cluster.mergePatch(a(world), { data: { value: '1' } });
  await seen(/^a changed corrected/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '2' });
  await world.uninstall();
  await end();
  t.deepEqual(texts(), ['web deleted corrected', 'a changed corrected']);
  t.is(await world.cluster.get(a(world)), undefined);
});

test('puts back objects in turns on their release, and says what for', async (t) => {
  const world = await installed(t);
  const turns: string[] = [];
  const takeTurn: TakeTurn = async ({ release, reason, isOneOfMany }, change) => {
    t.true(isOneOfMany);
    turns.push(`${release}: ${reason}`);
    return await change();
  };
  const { reported, seen, end } = following(world, 'correct', { takeTurn, ignore: ['/spec/paused'] });
  await world.cluster.mergePatch(web(world), { spec: { replicas: 9 } }, { fieldManager: 'kubectl-edit' });
  await seen(/^web changed corrected/);
  t.like(reported[0]?.fields, [{ path: 'spec.replicas', found: 9, wanted: 2, manager: 'kubectl-edit' }]);
  t.like(await world.cluster.get(web(world)), { spec: { replicas: 2 } });
  t.like(await end(), { revision: 1, drift: [], unchanged: 2 });
  t.deepEqual(turns, [
    `${world.namespace}/${releaseName}: drift: Deployment web was changed: spec.replicas by kubectl-edit`,
  ]);
});

test('an object stays as it is while the policy refuses its correction, and its report says why', async (t) => {
  const world = await installed(t);
  const clock = jumpingClock();
  let isPaused = true;
  const takeTurn: TakeTurn = async (_, change) => {
    if (isPaused) throw new PolicyError('denied_by_policy', 'the policy is paused: audit');
    return await change();
  };
  const { seen, texts, end } = following(world, 'correct', {
    takeTurn,
    ...clock.context,
  });
  await world.cluster.mergePatch(a(world), { data: { value: '3' } });
  await seen(/^a changed the policy is paused: audit$/);
  const refused = clock.time;
  await eventually('many corrections were due', () => clock.time > refused + 60 * 60_000);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '3' });
  isPaused = false;
  await seen(/^a changed corrected/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '1' });
  await end();
  t.deepEqual(texts(), ['a changed the policy is paused: audit', 'a changed corrected'], 'and it says nothing twice');
});

test('a correction outside its window is tried again with longer pauses, and its report says so once', async (t) => {
  const world = await installed(t);
  const { namespace } = world;
  const rules = readPolicy(`rules: [{ name: ship, windows: [{ from: '12:00', to: '13:00', timeZone: UTC }] }]
default: deny
`);
  const command = { type: 'correct_release', payload: {}, changes: true, chart: undefined, sentBy: undefined };
  const scope = { ...command, right: 'deploy', namespace, releaseName } as const;
  const clock = jumpingClock(Date.UTC(2026, 0, 5, 13));
  const tried: number[] = [];
  const takeTurn: TakeTurn = async (_, change) => {
    tried.push(clock.time);
    decide(rules, scope, { begins: new Date(clock.time), isAccepted: true });
    return await change();
  };
  await world.cluster.mergePatch(a(world), { data: { value: '3' } });
  const { seen, texts, end } = following(world, 'correct', {
    takeTurn,
    ...clock.context,
  });
  await seen(/^a changed corrected/);
  await end();
  t.deepEqual(texts(), ['a changed rule ship of the policy does not allow it: windows', 'a changed corrected']);
  const pauses = tried.slice(1, 9).map((at, index) => (at - (tried[index] ?? 0)) / 1000);
  t.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '1' });
});

test('an object is put back within the limits that the policy has at that time', async (t) => {
  const world = await installed(t);
  const cluster: Cluster = {
    ...world.cluster,
    apply: () => Promise.reject(new PolicyError('denied_by_policy', 'deniedKinds: ConfigMap a')),
  };
  const { seen, end } = following(world, 'correct', { takeTurn: (_, change) => change({ cluster }) });
  await world.cluster.mergePatch(a(world), { data: { value: '3' } });
  await seen(/^a .*deniedKinds: ConfigMap a$/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '3' });
  await end();
});

/** Returns a cluster that refuses writes or, with `dry runs`, also those. */
function refusing(cluster: Cluster, what: 'writes' | 'dry runs'): Cluster {
  return {
    ...cluster,
    async apply(object, options) {
      if (what === 'writes' && options.dryRun === true) return await cluster.apply(object, options);
      throw new PolicyError('denied_by_policy', 'deniedKinds: ConfigMap a');
    },
  };
}

const notCounted = test.macro({
  title: (_, name: string) => `an object whose correction ${name} was not put back, and is put back when that is over`,
  async exec(t, _: string, refuse: (cluster: Cluster) => { cluster: Cluster }) {
    const world = await installed(t);
    let isRefused = true;
    let refused = 0;
    const takeTurn: TakeTurn = async (_, change) => {
      if (!isRefused) return await change();
      refused += 1;
      return await change(refuse(world.cluster));
    };
    const { seen, texts, end } = following(world, 'correct', { takeTurn });
    const change = (value: string) =>
      world.cluster.mergePatch(a(world), { data: { value } }, { fieldManager: 'rival' });
    await change('3');
    await eventually('it is refused', () => refused === 1);
    await change('4');
    await eventually('it is refused again', () => refused === 2);
    isRefused = false;
    await change('5');
    await seen(/^a changed corrected/);
    await end();
    t.notRegex(texts().join(), /put back/);
    t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '1' });
  },
});

test(notCounted, 'needs a signature now', () => {
  throw new SignatureError('signature_required', 'rule ship of the policy requires a signature');
});
test(notCounted, 'is refused as a write', (cluster) => ({ cluster: refusing(cluster, 'writes') }));
test(notCounted, 'is refused as a dry run', (cluster) => ({ cluster: refusing(cluster, 'dry runs') }));

test('an object that is changed again and again waits longer each time, and its report says why', async (t) => {
  const world = await installed(t);
  const { texts, seen, end } = following(world, 'correct');
  const change = () => world.cluster.mergePatch(a(world), { data: { value: '3' } }, { fieldManager: 'rival' });
  await change();
  await seen(/^a changed corrected/);
  await change();
  await seen(/^a changed it was put back once, and was changed again by rival; it is put back at 20\S+ again/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '3' });
  t.is(texts().length, 2);
  t.like(await end(), { drift: [{ name: 'a' }] });
});

test('a command that follows another one puts an object back again no sooner than that', async (t) => {
  const world = await installed(t);
  const corrections = new CorrectionCounts();
  const change = () => world.cluster.mergePatch(a(world), { data: { value: '3' } }, { fieldManager: 'rival' });
  const first = following(world, 'correct', { corrections });
  await change();
  await first.seen(/^a changed corrected/);
  await first.end();
  const next = following(world, 'correct', { corrections });
  await change();
  await next.seen(/^a changed it was put back once, and was changed again by rival/);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '3' });
  await next.end();
});

test('an object whose correction still waits for its turn at the end is put back at once by the next command', async (t) => {
  const world = await installed(t);
  const corrections = new CorrectionCounts();
  let isWaiting = false;
  const takeTurn: TakeTurn = async ({ signal }) => {
    isWaiting = true;
    await whenAborted(signal);
    throw abortReason(signal);
  };
  const first = following(world, 'correct', { corrections, takeTurn });
  await world.cluster.mergePatch(a(world), { data: { value: '3' } }, { fieldManager: 'rival' });
  await eventually('it waits for its turn', () => isWaiting);
  t.like(await first.end(), { drift: [{ name: 'a', change: 'changed' }], unchanged: 1 });
  const next = following(world, 'correct', { corrections });
  await next.seen(/^a changed corrected/);
  await next.end();
  t.deepEqual([...first.texts(), ...next.texts()], ['a changed corrected']);
});

test('corrections count from 1 again, and take no memory, when an object was not changed for 20 minutes', (t) => {
  const corrections = new CorrectionCounts();
  const minute = 60_000;
  for (let times = 0; times < 3; times++) corrections.add('a', 0);
  corrections.add('b', 10 * minute);
  t.like(corrections.of('a', 20 * minute), { count: 3 });
  t.like(corrections.of('a', 20 * minute + 1), { count: 0 });
  corrections.add('c', 21 * minute);
  t.deepEqual(corrections.of('a', 0), { count: 0, last: -Infinity });
  t.like(corrections.of('b', 21 * minute), { count: 1 });
});

test('a correction that runs when the time is over ends first, so that nothing else changes the release meanwhile', async (t) => {
  const world = await installed(t);
  const [begun, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const cluster: Cluster = {
    ...world.cluster,
    async apply(object, options) {
      if (options.dryRun !== true) {
        begun.resolve(undefined);
        await abortable(answered.promise, options.signal ?? new AbortController().signal);
      }
      return await world.cluster.apply(object, options);
    },
  };
  let turnsEnded = 0;
  let endTime: (() => void) | undefined;
  const reported: Drift[] = [];
  const context = world.context({
    cluster,
    progress: ({ drift = [] }) => void reported.push(...drift),
    takeTurn: (_, change) => change().finally(() => (turnsEnded += 1)),
    startTimer(_, onEnd) {
      endTime = onEnd;
      return () => undefined;
    },
  });
  await world.cluster.mergePatch(a(world), { data: { value: '3' } });
  const request = { namespace: world.namespace, releaseName, watch: true, timeout: 900_000 };
  const ended = correctRelease(context, request);
  await begun.promise;
  endTime?.();
  await new Promise(setImmediate);
  t.is(turnsEnded, 0);
  answered.resolve(undefined);
  t.like(await ended, { revision: 1, drift: [] });
  t.is(turnsEnded, 1);
  t.like(reported, [{ name: 'a', corrected: true }]);
  t.deepEqual(valueOf(await world.cluster.get(a(world))), { value: '1' });
});

const comparesAgain = test.macro({
  title: (_, follow: 'watch' | 'correct', code: string) =>
    `an object whose comparison fails with ${code} is compared again, with longer pauses (${follow})`,
  async exec(t, follow: 'watch' | 'correct', code: string) {
    const world = await installed(t);
    const { cluster } = world;
    await cluster.mergePatch(a(world), { data: { value: '3' } });
    const clock = jumpingClock();
    const failed: number[] = [];
    const failing: Cluster = {
      ...cluster,
      async apply(object, options) {
        if (object.kind !== 'ConfigMap' || failed.length === 11) return await cluster.apply(object, options);
        failed.push(clock.time);
        // a text that differs each time must not make comparisons more frequent
        throw Object.assign(new Error(`attempt ${failed.length} has failed`), { code });
      },
    };
    const { seen, end } = following(world, follow, {
      cluster: failing,
      ...clock.context,
    });
    await seen(/^a unknown .*attempt 1 has failed/);
    await seen(follow === 'watch' ? /^a changed$/ : /^a changed corrected$/);
    await end();
    const pauses = failed.slice(1).map((at, index) => (at - (failed[index] ?? 0)) / 1000);
    t.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  },
});

for (const follow of ['watch', 'correct'] as const) {
  for (const code of ['server_error', 'unreachable', 'forbidden']) test(comparesAgain, follow, code);
}

for (const follow of ['watch', 'correct'] as const) {
  test(`${follow}: the result says why objects could not be compared at the end`, async (t) => {
    const world = await installed(t);
    const messages: string[] = [];
    let statuses = 0;
    const later = following(world, follow, {
      progress({ message = '', resources = [] }) {
        messages.push(message);
        statuses += resources.length;
      },
    });
    const { storage } = world.context();
    const [stored] = await storage.query({ namespace: world.namespace, name: releaseName, latestOnly: true });
    if (stored === undefined) throw new Error('there is no revision');
    const { release } = stored;
    await storage.create({ ...release, version: 2, info: { ...release.info, status: 'pending-upgrade' } }, {});
    const pending = /revision 2 .* is pending-upgrade/;
    await eventually('it says so', () => messages.some((message) => pending.test(message)));
    if (follow === 'watch') await eventually('the statuses are known', () => statuses > 0);
    const { uncompared } = await later.end();
    t.is(uncompared?.code, 'pending_operation');
    t.regex(uncompared?.message ?? '', pending);
  });
}

for (const follow of ['watch', 'correct'] as const) {
  test(`${follow}: a command that is cancelled during its first comparison does not say that nothing differs`, async (t) => {
    const single = textChart({ 'a.yaml': configMap('a') });
    const world = newWorld(t, single);
    await world.install(single);
    await world.cluster.mergePatch(a(world), { data: { value: '3' } });
    let isComparing = false;
    const cluster: Cluster = {
      ...world.cluster,
      async apply(_, options) {
        isComparing = true;
        const signal = options.signal ?? new AbortController().signal;
        await whenAborted(signal);
        throw abortReason(signal);
      },
    };
    const { end } = following(world, follow, { cluster });
    await eventually('it is compared', () => isComparing);
    t.like(await end(), { drift: [], uncompared: { code: 'cancelled' } });
  });
}

test('puts back once what differs, and leaves ignored fields as they are', async (t) => {
  const world = await installed(t);
  const { cluster, namespace } = world;
  await cluster.mergePatch(web(world), { spec: { replicas: 5, minReadySeconds: 3 } }, { fieldManager: 'a' });
  await cluster.strategicMergePatch(web(world), {
    spec: { template: { spec: { containers: [{ name: 'app', image: 'other' }] } } },
  });
  await cluster.delete(a(world));
  const request = { namespace, releaseName, ignore: ['/spec/replicas'] };
  const { drift, unchanged } = await correctRelease(world.context(), request);
  t.deepEqual(
    drift.map(({ name, change, corrected }) => `${name} ${change} ${corrected}`),
    ['a deleted true', 'web changed true'],
  );
  t.is(unchanged, 0);
  const live = await cluster.get(web(world));
  t.like(live, { spec: { replicas: 5, minReadySeconds: 3 } });
  t.like(live, { spec: { template: { spec: { containers: [{ image: 'localhost/app:1' }] } } } });
  t.truthy(await cluster.get(a(world)));
  t.like(await correctRelease(world.context(), request), { drift: [], unchanged: 2 });
});

test('does not put back an object of another release, nor objects of a record of others', async (t) => {
  const world = await installed(t);
  const annotations = { 'meta.helm.sh/release-name': 'other' };
  await world.cluster.mergePatch(a(world), { metadata: { annotations } });
  const request = { namespace: world.namespace, releaseName };
  await t.throwsAsync(correctRelease(world.context(), request), {
    code: 'apply_failed',
    message: /cannot put back ConfigMap a: .*invalid ownership metadata/,
  });
  await t.throwsAsync(correctRelease(world.context({ trustReleases: 'own' }), request), {
    code: 'release_not_trusted',
  });
});

test('drift is compared with the newest revision only', async (t) => {
  const world = await installed(t);
  const request = { namespace: world.namespace, releaseName, version: 1, drift: true };
  await t.throwsAsync(watchRelease(world.context(), request), { code: 'bad_payload' });
});
