import { type Duplex, duplexPair } from 'node:stream';
import test from 'ava';
import type { ContainerProcess, ExecOptions, ProcessOutput } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { operation } from '../../../src/operation/exec/exec-pod.ts';
import { channels, encodeMessage, messagesOf } from '../../../src/protocol/streams/messages.ts';

const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
const pod = (name: string, more: object = ready): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name },
  spec: { containers: [{ name: 'app' }, { name: 'side' }], initContainers: [{ name: 'init' }] },
  ...more,
});

interface Started {
  options: ExecOptions;
  calls: string[];
  closed: Promise<void>;
}

interface WorldOptions {
  pods?: readonly KubeObject[];
  /** The output of a process, and its exit code. Default: it writes nothing until it is closed. */
  run?: (options: ExecOptions) => { output: AsyncIterable<ProcessOutput>; exitCode: number | Error } | undefined;
}

/** A cluster with pods, in which processes do what a test says. */
function world({ pods = [pod('web-0')], run }: WorldOptions = {}) {
  const started: Started[] = [];
  const [mine, theirs] = duplexPair();
  mine.on('error', () => undefined); // as a stream of a tunnel
  const cluster = {
    servedKinds: () =>
      Promise.resolve([{ apiVersion: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, aliases: ['po'] }]),
    get: ({ name }: { name: string }) => Promise.resolve(pods.find(({ metadata }) => metadata.name === name)),
    list: () => Promise.resolve(pods),
    exec(_target: unknown, options: ExecOptions): Promise<ContainerProcess> {
      const calls: string[] = [];
      const closing = Promise.withResolvers<undefined>();
      started.push({ options, calls, closed: closing.promise });
      const silent = {
        output: (async function* () {
          await closing.promise;
          throw new Error('the connection was closed');
        })() as AsyncIterable<ProcessOutput>,
        exitCode: 0,
      };
      const { output, exitCode } = run?.(options) ?? silent;
      return Promise.resolve({
        output: () => output,
        get exitCode() {
          if (exitCode instanceof Error) throw exitCode;
          return exitCode;
        },
        write: (bytes: Uint8Array) => Promise.resolve(void calls.push(`write ${Buffer.from(bytes).toString()}`)),
        endInput: () => Promise.resolve(void calls.push('end')),
        resize: ({ columns, rows }) => Promise.resolve(void calls.push(`resize ${columns}x${rows}`)),
        close: () => closing.resolve(undefined),
      });
    },
  };
  const cancel = new AbortController();
  const timers: Array<{ milliseconds: number; onEnd: () => void; isOn: boolean }> = [];
  const context = {
    cluster,
    signal: cancel.signal,
    openStream: () => Promise.resolve(mine),
    startTimer(milliseconds: number, onEnd: () => void) {
      const timer = { milliseconds, onEnd, isOn: true };
      timers.push(timer);
      return () => (timer.isOn = false);
    },
  };
  const perform = (payload: object) => operation.perform({ namespace: 'shop', ...payload }, context as never); // it uses nothing else
  return { perform, started, mine, theirs, cancel, timers };
}

async function* parts(...texts: string[]): AsyncGenerator<ProcessOutput> {
  for (const text of texts) {
    await Promise.resolve();
    yield { from: 'output', parts: [Buffer.from(text)] };
  }
}

async function textOf(stream: Duplex): Promise<string> {
  let text = '';
  for await (const { bytes } of messagesOf(stream, [channels.output, channels.error])) text += bytes.toString();
  return text;
}

const control = (message: unknown) =>
  encodeMessage({ channel: channels.control, bytes: Buffer.from(JSON.stringify(message)) });

test('output arrives whole, and then the exit code', async (t) => {
  const long = 'x'.repeat(200_000);
  const { perform, theirs } = world({ run: () => ({ output: parts('a', long, 'b'), exitCode: 3 }) });
  const performed = perform({ name: 'web-0', command: ['sh'] });
  t.is(await textOf(theirs), `a${long}b`);
  t.deepEqual(await performed, { exitCode: 3, pod: 'web-0', container: 'app' });
});

test('the terminal has its size before anything else, and input follows in its order', async (t) => {
  const { perform, started, mine, theirs } = world();
  const performed = perform({ name: 'web-0', command: ['sh'], tty: true, stdin: true, size: { columns: 9, rows: 3 } });
  theirs.write(encodeMessage({ channel: channels.input, bytes: Buffer.from('ls') }));
  theirs.write(control({ type: 'resize', columns: 7, rows: 2 }));
  theirs.write(control({ type: 'end' }));
  while ((started[0]?.calls.length ?? 0) < 4) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(started[0]?.calls, ['resize 9x3', 'write ls', 'resize 7x2', 'end']);
  mine.destroy();
  await t.throwsAsync(performed);
});

test('a caller who goes away ends the connection to the process', async (t) => {
  const { perform, started, mine } = world();
  const performed = perform({ name: 'web-0', command: ['sh'] });
  while (started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  mine.destroy();
  await t.throwsAsync(performed, { code: 'stream_lost' });
  await started[0]?.closed;
});

test('a terminal whose caller goes away gets Ctrl-C and the end of its input', async (t) => {
  const { perform, started, mine } = world();
  const performed = perform({ name: 'web-0', command: ['sh'], tty: true, stdin: true });
  while (started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  mine.destroy();
  await t.throwsAsync(performed, { code: 'stream_lost' });
  t.deepEqual(started[0]?.calls, ['write \u0003', 'write \u0004']);
});

test('with kill, a program is marked, and a second process ends all that have the mark', async (t) => {
  const { perform, started, cancel, theirs } = world({
    run: ({ command: [name] }) => (name === 'sh' ? { output: parts(), exitCode: 0 } : undefined),
  });
  theirs.on('error', () => undefined);
  const performed = perform({ name: 'web-0', command: ['make', 'x y'], kill: true });
  while (started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  cancel.abort(new Error('no more'));
  await t.throwsAsync(performed, { code: 'cancelled' });
  const [first, second] = started.map(({ options }) => options.command);
  const mark = first?.[1] ?? '';
  t.regex(mark, /^HELM_AGENT_SESSION=[0-9a-f]{32}$/);
  t.deepEqual(first, ['env', mark, 'make', 'x y']);
  t.deepEqual([second?.[0], second?.[1], second?.slice(3)], ['sh', '-c', [mark, 'TERM']]);
  t.is(started.length, 2);
});

test('a program that ends by itself is not killed, and one that could not be is said to run', async (t) => {
  const ends = world({ run: () => ({ output: parts('a'), exitCode: 3 }) });
  const performed = ends.perform({ name: 'web-0', command: ['make'], kill: true });
  t.is(await textOf(ends.theirs), 'a');
  t.like(await performed, { exitCode: 3 });
  t.is(ends.started.length, 1);
  const { perform, started, mine } = world({
    run: ({ command: [name] }) => (name === 'sh' ? { output: parts(), exitCode: new Error('no shell') } : undefined),
  });
  const lost = perform({ name: 'web-0', command: ['make'], kill: true });
  while (started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  mine.destroy();
  await t.throwsAsync(lost, { code: 'stream_lost', message: /may still run, because it could not be ended: no shell/ });
});

const badControl = test.macro({
  title: (title = '') => `ends a session with ${title}`,
  async exec(t, message: unknown) {
    const { perform, theirs } = world();
    theirs.on('error', () => undefined);
    theirs.write(control(message));
    await t.throwsAsync(perform({ name: 'web-0', command: ['sh'] }), { code: 'bad_request' });
  },
});

test('an unknown control message', badControl, { type: 'exit' });
test('a size of 0', badControl, { type: 'resize', columns: 0, rows: 1 });
test('a size that is too large', badControl, { type: 'resize', columns: 1e9, rows: 1 });
test('a size that is no number', badControl, { type: 'resize', columns: '1', rows: 1 });
test('a list', badControl, []);

test('a session without input and output ends after the idle time, counted from the last byte', async (t) => {
  const { perform, theirs, timers } = world();
  theirs.on('error', () => undefined);
  const performed = perform({ name: 'web-0', command: ['sh'], idleTimeout: '1m' as never });
  const idle = () => timers.filter(({ milliseconds, isOn }) => String(milliseconds) === '1m' && isOn);
  while (idle().length === 0) await new Promise((resolve) => setImmediate(resolve));
  theirs.write(encodeMessage({ channel: channels.input, bytes: Buffer.from('x') }));
  while (timers.length < 3) await new Promise((resolve) => setImmediate(resolve));
  t.is(idle().length, 1);
  idle()[0]?.onEnd();
  await t.throwsAsync(performed, { code: 'timeout', message: /no input and no output/ });
});

test('a session ends after its time, and when it is cancelled', async (t) => {
  const late = world();
  late.theirs.on('error', () => undefined);
  const performed = late.perform({ name: 'web-0', command: ['sh'] });
  while (late.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.is(late.timers[0]?.milliseconds, 168 * 3_600_000);
  late.timers[0]?.onEnd();
  await t.throwsAsync(performed, { code: 'timeout' });
  const cancelled = world();
  cancelled.theirs.on('error', () => undefined);
  const other = cancelled.perform({ name: 'web-0', command: ['sh'] });
  while (cancelled.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
  cancelled.cancel.abort(new Error('no more'));
  await t.throwsAsync(other, { code: 'cancelled' });
});

const refused = test.macro({
  title: (title = '') => `refuses ${title}`,
  async exec(t, payload: object, expected: { code: string; message: RegExp }, pods?: readonly KubeObject[]) {
    const { perform, started } = world({ ...(pods && { pods }) });
    await t.throwsAsync(perform({ command: ['sh'], ...payload }), expected);
    t.is(started.length, 0);
  },
});

test('a command without a pod', refused, {}, { code: 'bad_request', message: /name either a pod/ });
test('a pod and a release', refused, { name: 'a', releaseName: 'b' }, { code: 'bad_request', message: /either/ });
test('an unknown pod', refused, { name: 'nope' }, { code: 'not_found', message: /there are: web-0/ });
test(
  'an unknown container',
  refused,
  { name: 'web-0', container: 'x' },
  { code: 'not_found', message: /app, side, init/ },
);
test('a name of three parts', refused, { name: 'a/b/c' }, { code: 'bad_request', message: /such as deploy\/web/ });
test('a pod that has ended', refused, { name: 'web-0' }, { code: 'bad_request', message: /has ended \(Failed\)/ }, [
  pod('web-0', { status: { phase: 'Failed' } }),
]);
test('a pod with its kind that has ended', refused, { name: 'po/web-0' }, { code: 'bad_request', message: /ended/ }, [
  pod('web-0', { status: { phase: 'Succeeded' } }),
]);

test('a shell is found without a command', async (t) => {
  const missing = new Error('exec: "bash": executable file not found in $PATH');
  const { perform, started, theirs } = world({
    run: ({ command: [shell] }) => ({ output: parts(), exitCode: shell === 'bash' ? missing : 0 }),
  });
  theirs.resume();
  await perform({ name: 'web-0', tty: true });
  t.deepEqual(
    started.map(({ options: { command } }) => command),
    [['bash', '-c', 'exit 0'], ['sh', '-c', 'exit 0'], ['sh']],
  );
});
