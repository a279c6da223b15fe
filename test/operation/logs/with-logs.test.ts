import type { Cluster } from '../../../src/objects/cluster.ts';
import type { Progress } from '../../../src/operation/progress.ts';
import { testRelease } from '../../../src/operation/test-release.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { eventually } from '../../support/eventually.ts';
import { hook, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, releaseName, sandboxTest, type World } from '../world.ts';

const test = sandboxTest();

/** Returns the lines that were reported, as `EVENT KIND/NAME CONTAINER | LINE`. */
function linesOf(progress: readonly Progress[]): string[] {
  return progress.flatMap(({ log }) => {
    if (log === undefined) return [];
    const { event = '-', resource, container, lines } = log;
    return lines.map((line) => `${event} ${resource.kind}/${resource.name} ${container} | ${line}`);
  });
}

/** A cluster whose requests for logs and watches are counted while they run. */
function counted(cluster: Cluster) {
  const open = { logs: 0, watches: 0 };
  const started = { logs: 0 };
  const counting: Cluster = {
    ...cluster,
    async *followLog(pod, options) {
      open.logs += 1;
      started.logs += 1;
      try {
        yield* cluster.followLog(pod, options);
      } finally {
        open.logs -= 1;
      }
    },
    async *observe(query, signal) {
      open.watches += 1;
      try {
        yield* cluster.observe(query, signal);
      } finally {
        open.watches -= 1;
      }
    },
  };
  return { cluster: counting, tracker: createTracker(counting), open, started };
}

const migrate = job('migrate', { args: ['sleep', '1s'], annotations: hook('pre-install,pre-delete,test') });

test('reports the lines of a hook before it ends, if the request asks for them', async (t) => {
  const chart = textChart({ 'h.yaml': migrate });
  const world = newWorld(t, chart);
  const { open, ...context } = counted(world.cluster);
  await world.install(chart, { logs: true }, context);
  t.deepEqual(linesOf(world.progress), [
    'pre-install Job/migrate main | working',
    'pre-install Job/migrate main | done',
  ]);
  const first = world.progress.findIndex(({ log }) => log !== undefined);
  const end = world.progress.findIndex(({ step, state }) => step === 'pre-hooks' && state === 'done');
  t.true(first < end);
  t.like(world.progress[first], { step: 'pre-hooks', state: 'running' });
  t.deepEqual(open, { logs: 0, watches: 0 });

  world.progress.length = 0;
  await world.uninstall({ logs: true });
  t.deepEqual(linesOf(world.progress).at(-1), 'pre-delete Job/migrate main | done');
});

test('follows no logs by default', async (t) => {
  const chart = textChart({ 'h.yaml': migrate });
  const world = newWorld(t, chart);
  const { started, ...context } = counted(world.cluster);
  await world.install(chart, {}, context);
  t.deepEqual(linesOf(world.progress), []);
  t.is(started.logs, 0);
});

test('reports the lines of a test, and returns them too', async (t) => {
  const chart = textChart({ 'h.yaml': migrate });
  const world = newWorld(t, chart);
  await world.install(chart);
  world.progress.length = 0;
  const request = { namespace: world.namespace, releaseName, logs: true };
  const { logs } = await testRelease(world.context(), request);
  t.deepEqual(linesOf(world.progress), ['test Job/migrate main | working', 'test Job/migrate main | done']);
  t.like(logs?.[0], { container: 'main', log: 'working\ndone\n' });
});

test('reports the lines of a Job that an upgrade creates and waits for', async (t) => {
  const load = job('load', { args: ['sleep', '1s'] });
  const [empty, loading] = [textChart({}), textChart({ 'j.yaml': load })];
  const world = newWorld(t, empty, loading);
  await world.install(empty);
  world.progress.length = 0;
  await world.upgrade(loading, { logs: true });
  t.deepEqual(linesOf(world.progress), ['- Job/load main | working', '- Job/load main | done']);
});

const secret = `apiVersion: v1
kind: Secret
metadata: { name: db }
stringData: { password: cannot reach }
`;

test('reports the lines of a hook that fails, without the secrets of the release', async (t) => {
  const annotations = hook('pre-install', { policy: 'hook-failed' });
  const chart = textChart({ 'h.yaml': job('load', { args: ['fail'], annotations }), 's.yaml': secret });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart, { logs: true }), { code: 'hook_failed' });
  t.deepEqual(linesOf(world.progress), ['pre-install Job/load main | boom: *** database']);
});

test('follows a container across its restarts, and each line is reported once', async (t) => {
  const manifest = job('load', { args: ['fail'], annotations: hook('pre-install') })
    .replace(/"?Never"?/, '"OnFailure"')
    .replace(/backoffLimit"?: ?0/, (text) => text.replace('0', '2'));
  const chart = textChart({ 'h.yaml': manifest });
  const world = newWorld(t, chart);
  const request = { logs: true, failFast: { crash_loop: 'transient' } as const };
  await t.throwsAsync(world.install(chart, request), { code: 'hook_failed' });
  const lines = linesOf(world.progress);
  t.true(lines.length >= 2, lines.join('\n'));
  t.true(new Set(lines).size === 1);
});

const broken: [title: string, failure: () => Error, text: RegExp | undefined][] = [
  [
    'an API server that refuses',
    () => Object.assign(new Error('no log'), { code: 'forbidden' }),
    /may be missing: no log/,
  ],
  ['a connection that breaks', () => Object.assign(new Error('gone'), { code: 'unreachable' }), undefined],
];
for (const [title, failure, text] of broken) {
  test(`${title} to show a log does not end the hook`, async (t) => {
    const chart = textChart({ 'h.yaml': migrate });
    const world = newWorld(t, chart);
    let requests = 0;
    const cluster: Cluster = {
      ...world.cluster,
      async *followLog(pod, options) {
        if (requests++ === 0 || text !== undefined) throw failure();
        yield* world.cluster.followLog(pod, options);
      },
    };
    await world.install(chart, { logs: true }, { cluster });
    const messages = world.progress.flatMap(({ message = '' }) => message);
    if (text === undefined) t.is(linesOf(world.progress).length, 2);
    else t.true(messages.some((message) => text.test(message)));
  });
}

test('a cancel ends the requests for logs at once', async (t) => {
  const chart = textChart({ 'h.yaml': job('load', { args: ['sleep', '1000s'], annotations: hook('pre-install') }) });
  const world = newWorld(t, chart);
  const { open, ...context } = counted(world.cluster);
  const cancel = new AbortController();
  const installed = t.throwsAsync(world.install(chart, { logs: true }, { ...context, signal: cancel.signal }), {
    code: 'cancelled',
  });
  await firstLine(world);
  cancel.abort(new Error('enough'));
  await installed;
  t.deepEqual(open, { logs: 0, watches: 0 });
});

async function firstLine({ progress }: World): Promise<void> {
  await eventually('a log is reported', () => progress.some(({ log }) => log !== undefined));
}
