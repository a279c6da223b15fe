import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { TaskLimits } from '../../src/threads/messages.ts';
import { TaskError } from '../../src/threads/tasks.ts';
import { createThreadPool, type ThreadPool } from '../../src/threads/thread-pool.ts';
import type { TestTasks } from './support/tasks.ts';

const moduleUrl = new URL('support/thread.ts', import.meta.url);
const signal = new AbortController().signal;
const options = { signal, subject: 'reading web' };

interface PoolSetup {
  limits?: Partial<TaskLimits>;
  size?: number;
  processMemoryMb?: number;
  idleMs?: number;
  spareMs?: number;
  graceMs?: number;
  startMs?: number;
  moduleUrl?: URL;
}

function poolOf(t: ExecutionContext, { limits, ...setup }: PoolSetup = {}): ThreadPool<TestTasks> {
  const allLimits = { milliseconds: 60_000, memoryMb: 96, ...limits };
  const pool = createThreadPool<TestTasks>({ moduleUrl, limits: allLimits, size: 1, ...setup });
  t.teardown(() => pool.close());
  return pool;
}

test('runs a task and returns its output', async (t) => {
  t.is(await poolOf(t).run('add', { a: 1, b: 2 }, options), 3);
});

test('reports an error of a task with its code, and runs the next task in the same thread', async (t) => {
  const pool = poolOf(t);
  const error = await t.throwsAsync(pool.run('fail', undefined, options), { instanceOf: TaskError });
  t.is(error.code, 'chart_invalid');
  t.is(error.message, 'wrong text');
  t.is(await pool.run('add', { a: 1, b: 1 }, options), 2);
});

test('reports a defect as the error that it is', async (t) => {
  await t.throwsAsync(poolOf(t).run('break', undefined, options), { instanceOf: TypeError, message: 'a defect' });
});

test('warns of an error of a thread that has no task, and runs the next task in another one', async (t) => {
  const pool = poolOf(t, { idleMs: 60_000 });
  const warned = once(process, 'warning');
  const alive = setTimeout(() => t.fail('there is no warning'), 60_000); // idle threads keep no process alive
  t.teardown(() => clearTimeout(alive));
  const channel = new BroadcastChannel(randomUUID());
  t.teardown(() => channel.close());
  const broken = await pool.run('breakLate', channel.name, options);
  channel.postMessage('now');
  const [warning] = (await warned) as [Error & { detail?: string }];
  t.is(warning.message, 'a thread failed while it had no task');
  t.regex(warning.detail ?? '', /TypeError: a late defect/);
  t.not(await pool.run('block', { milliseconds: 1 }, options), broken);
});

test('receives parts one at a time, before the output', async (t) => {
  const parts: unknown[] = [];
  let turns = 0;
  const count = () => {
    turns++;
    if (parts.length < 5) setImmediate(count);
  };
  setImmediate(count);
  const output = await poolOf(t).run('list', { parts: 5 }, { ...options, onPart: (part) => parts.push(part) });
  t.is(output, 5);
  t.deepEqual(parts, [0, 1, 2, 3, 4]);
  t.true(turns >= 5, 'the event loop turns between two parts');
});

test('asks a task that takes too long to stop at its next step, with the line', async (t) => {
  const pool = poolOf(t, { limits: { milliseconds: 200 } });
  const error = await t.throwsAsync(pool.run('step', undefined, options), { instanceOf: TaskError });
  t.is(error.message, 'takes more than 0.2 s; look for a template that never ends');
  t.deepEqual(error.position, { file: 'a', line: 3 });
});

test('ends a task that never comes to a step, and names the file that it was reading', async (t) => {
  const pool = poolOf(t, { limits: { milliseconds: 1000 }, graceMs: 200 });
  const error = await t.throwsAsync(pool.run('spin', undefined, { ...options, limitCode: 'too_large' }), {
    instanceOf: TaskError,
  });
  t.is(error.code, 'too_large');
  t.is(error.message, 'templates/spin.yaml: reading web takes more than 1 s; look for a template that never ends');
  t.is(await pool.run('add', { a: 1, b: 1 }, options), 2, 'another thread takes its place');
});

test('counts the time in which a task has a processor, and at most five times as much', async (t) => {
  const pool = poolOf(t, { limits: { milliseconds: 400 }, graceMs: 100 });
  // a paused task has no processor, as one of a busy machine
  const paused = (steps: number) => pool.run('pause', { steps, milliseconds: 20 }, options);
  t.is(await paused(40), 40);
  const error = await t.throwsAsync(paused(10_000), { instanceOf: TaskError });
  t.regex(error.message, /takes more than 0\.4 s/);
});

// serial: the threads of other tests take memory, too
test.serial('ends a step that allocates without end when the process takes too much memory', async (t) => {
  const memory = process.memoryUsage.rss() / 2 ** 20 + 150;
  const pool = poolOf(t, { processMemoryMb: memory });
  const error = await t.throwsAsync(pool.run('grow', undefined, options), { instanceOf: TaskError });
  t.is(error.code, 'render_limit');
  t.is(error.message, 'templates/grow.yaml: reading web needs more memory than the 96 MiB of its share');
});

test('ends a task whose signal aborts', async (t) => {
  const controller = new AbortController();
  const running = poolOf(t).run('spin', undefined, { ...options, signal: controller.signal });
  setTimeout(() => controller.abort(new Error('cancelled')), 100);
  await t.throwsAsync(running, { message: 'cancelled' });
});

/** Returns a gate that keeps tasks waiting until it is opened. */
function closedGate(): { gate: Int32Array<SharedArrayBuffer>; open: () => void } {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { gate, open };
}

test('gives up waiting for a thread when the signal aborts', async (t) => {
  const pool = poolOf(t);
  const { gate, open } = closedGate();
  const blocked = pool.run('block', { gate }, options);
  await t.throwsAsync(pool.run('add', { a: 1, b: 1 }, { ...options, signal: AbortSignal.timeout(100) }));
  open();
  await blocked;
});

test('leaves a thread to other owners when one has many tasks', async (t) => {
  const pool = poolOf(t, { size: 2, spareMs: 0 });
  await Promise.all([
    pool.run('add', { a: 0, b: 0 }, options),
    pool.run('add', { a: 0, b: 0 }, { ...options, owner: 'b' }),
  ]);
  const { gate, open } = closedGate();
  const blocks = [1, 2, 3].map(() => pool.run('block', { gate }, { ...options, owner: 'greedy' }));
  t.is(await pool.run('add', { a: 1, b: 1 }, { ...options, owner: 'other' }), 2);
  open();
  await Promise.all(blocks);
});

test('ends idle threads after a while', async (t) => {
  const pool = poolOf(t, { size: 2, idleMs: 50, spareMs: 0 });
  const blockTwo = () => Promise.all([1, 2].map(() => pool.run('block', { milliseconds: 300 }, options)));
  const first = new Set(await blockTwo());
  t.is(first.size, 2);
  await sleep(1000);
  const second = await blockTwo();
  t.is(second.filter((id) => first.has(id)).length, 0, 'both threads are new');
});

test('runs short tasks of a burst one after the other in one thread', async (t) => {
  const pool = poolOf(t, { size: 2, spareMs: 60_000 });
  const ids = await Promise.all([1, 2, 3, 4].map(() => pool.run('block', { milliseconds: 1 }, options)));
  t.is(new Set(ids).size, 1);
});

test('starts another thread when a task waits too long for one that is busy', async (t) => {
  const pool = poolOf(t, { size: 2, spareMs: 20 });
  const { gate, open } = closedGate();
  const blocked = pool.run('block', { gate }, options);
  t.is(await pool.run('add', { a: 1, b: 1 }, options), 2);
  open();
  await blocked;
});

test('gives up waiting for a busy thread when the signal aborts', async (t) => {
  const pool = poolOf(t, { size: 2, spareMs: 60_000 });
  const { gate, open } = closedGate();
  const blocked = pool.run('block', { gate }, options);
  const waiting = pool.run('add', { a: 1, b: 1 }, { ...options, signal: AbortSignal.timeout(100) });
  await t.throwsAsync(waiting, { name: 'TimeoutError' });
  open();
  await blocked;
});

test('fails tasks that run or wait when it is closed', async (t) => {
  const pool = poolOf(t);
  const tasks = [pool.run('spin', undefined, options), pool.run('add', { a: 1, b: 1 }, options)];
  const results = Promise.allSettled(tasks);
  await pool.close();
  t.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('fails a task whose thread does not start', async (t) => {
  const pool = poolOf(t, { moduleUrl: new URL('support/hung-thread.ts', import.meta.url), startMs: 100 });
  const message = 'a thread did not start within 100 ms';
  await t.throwsAsync(pool.run('add', { a: 1, b: 2 }, options), { message });
});
