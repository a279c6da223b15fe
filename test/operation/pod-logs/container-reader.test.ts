import test, { type ExecutionContext } from 'ava';
import type { LogOptions } from '../../../src/objects/cluster.ts';
import type { ClusterErrorCode } from '../../../src/objects/cluster-error.ts';
import type { ContainerRun } from '../../../src/operation/logs/container-runs.ts';
import { ContainerReader, type ContainerReaderOptions } from '../../../src/operation/pod-logs/container-reader.ts';

const container = { namespace: 'shop', name: 'web-0', container: 'app' };
const line = (number: number) => `2026-01-01T10:00:00.${String(number).padStart(9, '0')}Z line ${number}\n`;
const failure = (code: ClusterErrorCode) => Object.assign(new Error('no watch'), { code });

type Request = 'follow' | 'rest' | 'previous';
type Reply = readonly [request: Request, log: string, failure?: ClusterErrorCode | undefined, then?: ContainerRun];

const running = (run: number): ContainerRun => ({ container: 'app', run, hasEnded: false, hasPrevious: run > 0 });
const ended = (run: number): ContainerRun => ({ ...running(run), hasEnded: true });

/**
 * Follows a run. Requests get these replies in turn; the reader sees a run after some of them, or
 * in a pause.
 */
async function follow(
  t: ExecutionContext,
  first: ContainerRun,
  replies: readonly Reply[],
  ...inPauses: readonly [pause: number, run: ContainerRun][]
) {
  return followBy(t, {}, first, replies, ...inPauses);
}

async function followBy(
  t: ExecutionContext,
  options: Pick<ContainerReaderOptions, 'isNew'>,
  first: ContainerRun,
  replies: readonly Reply[],
  ...inPauses: readonly [pause: number, run: ContainerRun][]
) {
  const left = [...replies];
  const notices: string[] = [];
  const waits: number[] = [];
  let printed = '';
  const reader = new ContainerReader({
    ...options,
    container,
    uid: 'u',
    selection: {},
    cluster: {
      async *streamLog(_, { follow, previous }: LogOptions) {
        const [request, log, code, then] = left.shift() ?? (['rest', ''] as const);
        t.is(previous === true ? 'previous' : follow === true ? 'follow' : 'rest', request);
        yield Buffer.from(log);
        if (then) reader.see(then);
        await Promise.resolve();
        if (code) throw failure(code);
      },
    },
    onBytes(_, bytes) {
      printed += Buffer.from(bytes).toString();
      return Promise.resolve();
    },
    onNotice(text, kind) {
      notices.push(`${kind}: ${text}`);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
    wait(milliseconds) {
      waits.push(milliseconds);
      for (const [pause, run] of inPauses) if (pause === waits.length) reader.see(run);
      return Promise.resolve();
    },
  });
  t.true(reader.see(first));
  await reader.follow();
  t.is(left.length, 0);
  return { lines: printed.split('\n').filter((text) => text !== ''), notices, waits };
}

const expected = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

test('the rest of a run that has ended is read without a watch of the kubelet', async (t) => {
  const { lines, waits } = await follow(t, ended(0), [
    ['rest', line(1) + line(2)],
    ['rest', line(1) + line(2)],
  ]);
  t.deepEqual(lines, expected(2));
  t.deepEqual(waits, []);
});

test('lines that the runtime writes after the end of a run are read', async (t) => {
  const { lines } = await follow(t, running(0), [
    ['follow', line(1), undefined, ended(0)],
    ['rest', line(1) + line(2)],
    ['rest', line(1) + line(2) + line(3)],
    ['rest', line(1) + line(2) + line(3)],
  ]);
  t.deepEqual(lines, expected(3));
});

test('the last line without a line break is read without the error that the kubelet writes after it', async (t) => {
  const unfinished = line(2).trimEnd();
  const { lines } = await follow(t, running(0), [
    ['follow', `${line(1)}${unfinished}failed to create fsnotify watcher: too many open files`],
    ['follow', `${line(1)}${unfinished}failed to create`, 'unreachable', ended(0)],
    ['rest', line(1) + unfinished],
    ['rest', line(1) + unfinished],
    ['rest', line(1) + unfinished],
    ['rest', line(1) + unfinished],
    ['rest', line(1) + unfinished],
  ]);
  t.deepEqual(lines, expected(2));
});

test('a log that was read in the middle of a line is read again until nothing is new for a while', async (t) => {
  const part = line(2).slice(0, -4);
  const whole = line(1) + line(2) + line(3);
  const { lines, waits } = await follow(t, running(0), [
    ['follow', line(1), undefined, ended(0)],
    ['rest', line(1) + part],
    ['rest', line(1) + part],
    ['rest', line(1) + part],
    ['rest', whole],
    ['rest', whole],
  ]);
  t.deepEqual(lines, expected(3));
  t.deepEqual(waits, [100, 200]);
});

test('a log that the kubelet cannot follow is read again and again while its run continues', async (t) => {
  const failures = Array.from({ length: 30 }, (): Reply => ['follow', line(1), 'server_error']);
  const { lines, notices, waits } = await follow(t, running(0), [
    ...failures,
    ['follow', line(1) + line(2), 'server_error'],
    ['follow', line(2), 'server_error', ended(0)],
    ['rest', line(1) + line(2) + line(3)],
    ['rest', line(2) + line(3)],
  ]);
  t.deepEqual(lines, expected(3));
  t.deepEqual(notices, ['late: web-0/app: no watch; trying again']);
  t.is(Math.max(...waits), 5000);
  t.is(waits.at(-1), 200, 'after a new line, the pauses are short again');
});

test('all runs of a container that started later than the command are read, or said to be missing', async (t) => {
  const replies: Reply[] = [
    ['previous', line(1)],
    ['follow', line(2), undefined, ended(1)],
    ['rest', line(2)],
  ];
  const second = await followBy(t, { isNew: true }, running(1), replies);
  t.deepEqual(second.lines, expected(2));
  t.deepEqual(second.notices, []);
  const third = await followBy(
    t,
    { isNew: true },
    running(2),
    replies.with(1, ['follow', line(2), undefined, ended(2)]),
  );
  t.deepEqual(third.lines, expected(2));
  t.deepEqual(third.notices, [missing('has restarted')]);
  const known = await follow(t, running(1), replies.slice(1));
  t.deepEqual(known.lines, ['line 2']);
});

test('the end of a run is read from the log before, if the container has restarted', async (t) => {
  const { lines, notices } = await follow(t, running(0), [
    ['follow', line(1), 'unreachable', running(1)],
    ['previous', line(1) + line(2)],
    ['previous', line(1) + line(2)],
    ['follow', line(3), undefined, ended(1)],
  ]);
  t.deepEqual(lines, expected(3));
  t.deepEqual(notices, []);
});

test('the log of a later run that is read before its status arrives does not hide the end of the one before', async (t) => {
  const unfinished = line(2).trimEnd();
  const replies: Reply[] = [
    ['follow', line(1) + unfinished],
    ['follow', line(3)],
    ['follow', line(3)],
    ['previous', line(1) + unfinished],
    ['previous', line(1) + unfinished],
    ['follow', line(3), undefined, ended(1)],
    ['rest', line(3)],
  ];
  const { lines } = await follow(t, running(0), replies, [3, running(1)]);
  t.deepEqual(lines.join(''), expected(3).join(''));
});

test('the log of a later run is not read as the rest of one that has ended, before its status arrives', async (t) => {
  const replies: Reply[] = [
    ['rest', line(1)],
    ['rest', line(2)],
    ['previous', line(1)],
    ['follow', line(2), undefined, ended(1)],
    ['rest', line(2)],
  ];
  const { lines } = await follow(t, ended(0), replies, [1, running(1)]);
  t.deepEqual(lines, expected(2));
});

test('the rest of a run that cannot be read is read from the log before, if the container restarts meanwhile', async (t) => {
  const replies: Reply[] = [
    ['rest', line(1), 'server_error', running(1)],
    ['previous', line(1) + line(2)],
    ['previous', line(1) + line(2)],
    ['follow', line(3), undefined, ended(1)],
    ['rest', line(3)],
  ];
  const { lines } = await follow(t, ended(0), replies);
  t.deepEqual(lines, expected(3));
});

test('a log that was rotated is read on after some time', async (t) => {
  const rotated = Array.from({ length: 20 }, (): Reply => ['follow', line(2)]);
  const { lines } = await follow(t, running(0), [
    ['follow', line(1)],
    ...rotated,
    ['follow', line(2), undefined, ended(0)],
    ['rest', line(2) + line(3)],
    ['rest', line(2) + line(3)],
  ]);
  t.deepEqual(lines, expected(3));
});

test('a run that ends during a pause is not followed again', async (t) => {
  const { lines } = await follow(
    t,
    running(0),
    [
      ['follow', line(1), 'server_error'],
      ['previous', line(1) + line(2)],
      ['previous', line(1) + line(2)],
      ['follow', line(3), undefined, ended(1)],
      ['rest', line(3)],
    ],
    [1, running(1)],
  );
  t.deepEqual(lines, expected(3));
});

test('the log of a later run is followed, and not read as the end of one before', async (t) => {
  const { lines } = await follow(t, running(0), [
    ['follow', line(1), 'unreachable', running(2)],
    ['previous', line(2)],
    ['follow', line(3), undefined, ended(2)],
    ['rest', line(3)],
  ]);
  t.deepEqual(lines, expected(3));
});

test('the rest of a log that cannot be read is an error after some time', async (t) => {
  const replies = Array.from({ length: 11 }, (): Reply => ['rest', '', 'server_error']);
  await t.throwsAsync(follow(t, ended(0), replies), { code: 'server_error' });
});

test('a log that is gone ends its reading', async (t) => {
  const { lines } = await follow(t, running(0), [
    ['follow', line(1), 'unreachable', ended(0)],
    ['rest', '', 'not_found'],
  ]);
  t.deepEqual(lines, ['line 1']);
});

const missing = (event: string) =>
  `missing: container app of pod web-0 ${event} before its log was read; lines may be missing`;

test('a deleted log of the run before does not hold up the next one', async (t) => {
  const { lines, notices } = await follow(
    t,
    running(0),
    [
      ['follow', line(1)],
      ['previous', '', 'server_error'],
      ['rest', line(2)],
      ['rest', line(2)],
    ],
    [1, ended(1)],
  );
  t.deepEqual(lines, expected(2));
  t.deepEqual(notices, [], 'the log had been read to its end');
});

test('a pod that is deleted after its log has ended is no problem', async (t) => {
  const { notices } = await follow(t, running(0), [
    ['follow', line(1)],
    ['follow', '', 'not_found', ended(0)],
    ['rest', '', 'not_found'],
  ]);
  t.deepEqual(notices, []);
});

test('a pod that is deleted while its log cannot be read is a problem', async (t) => {
  const { notices } = await follow(
    t,
    running(0),
    [
      ['follow', line(1), 'unreachable'],
      ['rest', '', 'not_found'],
    ],
    [1, ended(0)],
  );
  t.deepEqual(notices, [missing('has ended')]);
});

test('a run whose log is deleted before its end was read is a problem', async (t) => {
  const { lines, notices } = await follow(t, running(0), [
    ['follow', line(1), 'unreachable', ended(1)],
    ['previous', '', 'server_error'],
    ['rest', line(3)],
    ['rest', line(3)],
  ]);
  t.deepEqual(lines, ['line 1', 'line 3']);
  t.deepEqual(notices, [missing('has ended')]);
});

test('a run whose log is deleted before it was followed is a problem', async (t) => {
  const { lines, notices } = await follow(
    t,
    running(0),
    [
      ['follow', line(1)],
      ['previous', '', 'unreachable'],
      ['rest', line(3)],
      ['rest', line(3)],
    ],
    [1, ended(1)],
    [2, { ...ended(2), hasPrevious: false }],
  );
  t.deepEqual(lines, ['line 1', 'line 3']);
  t.deepEqual(notices, [missing('has restarted')]);
});

test('a run before that has no log any more is a problem', async (t) => {
  const { notices } = await follow(
    t,
    running(0),
    [
      ['follow', line(1)],
      ['previous', '', 'bad_request'],
      ['rest', line(3)],
      ['rest', line(3)],
    ],
    [1, ended(2)],
  );
  t.deepEqual(notices, [missing('has restarted')]);
});

test('a log that cannot be read after a pause is not whole', async (t) => {
  const { notices } = await follow(t, running(0), [
    ['follow', line(1)],
    ['follow', '', 'unreachable', ended(0)],
    ['rest', '', 'not_found'],
  ]);
  t.deepEqual(notices, [missing('has ended')]);
});

test('a log before that is read while the container restarts again may be that of another run', async (t) => {
  const { lines, notices } = await follow(t, running(0), [
    ['follow', line(1), 'unreachable', ended(1)],
    ['previous', line(3), undefined, ended(2)],
    ['previous', line(3)],
    ['rest', line(4)],
    ['rest', line(4)],
  ]);
  t.deepEqual(lines, ['line 1', 'line 3', 'line 4']);
  t.deepEqual(notices, [missing('has ended')]);
});

test('a followed log that ends without a line break is not whole until its rest is read', async (t) => {
  const unfinished = line(1) + line(2).trimEnd();
  const { lines, notices } = await follow(
    t,
    running(0),
    [
      ['follow', unfinished],
      ['previous', '', 'server_error'],
      ['rest', ''],
    ],
    [1, ended(1)],
  );
  t.deepEqual(lines, ['line 1']);
  t.deepEqual(notices, [missing('has ended')]);
});

test('the empty log of a later run is not the end of one before', async (t) => {
  const unfinished = line(1) + line(2).trimEnd();
  const { lines, notices } = await follow(
    t,
    running(0),
    [
      ['follow', unfinished],
      ['rest', ''],
      ['previous', unfinished],
      ['previous', unfinished],
      ['rest', line(3)],
      ['rest', line(3)],
    ],
    [1, ended(0)],
    [2, ended(1)],
  );
  t.deepEqual(lines, ['line 1', 'line 2line 3'], 'ctl starts a line for each run');
  t.deepEqual(notices, []);
});

test('last lines that may not be read are not tried again before the next run', async (t) => {
  const reader = new ContainerReader({
    ...{ container, uid: 'u', selection: { tail: 10 }, signal: new AbortController().signal },
    cluster: {
      async *streamLog() {
        await Promise.resolve();
        throw failure('forbidden');
      },
    },
    onBytes: () => Promise.resolve(),
    onNotice: () => Promise.resolve(),
  });
  t.true(reader.see(running(0)));
  await t.throwsAsync(reader.follow(), { code: 'forbidden' });
  t.false(reader.see(running(0)));
  t.true(reader.see(running(1)));
});

test('the cursors of the last lines say of which run they are', async (t) => {
  const runs: number[] = [];
  const broken = new Error('the connection is lost');
  const reader = new ContainerReader({
    ...{ container, uid: 'u', selection: { tail: 10 }, signal: new AbortController().signal },
    cluster: {
      async *streamLog() {
        await Promise.resolve();
        yield Buffer.from(line(1));
      },
    },
    onBytes({ run }) {
      runs.push(run);
      return Promise.reject(broken);
    },
    onNotice: () => Promise.resolve(),
  });
  t.true(reader.see(running(3)));
  t.is(await t.throwsAsync(reader.follow()), broken);
  t.deepEqual(runs, [3]);
});
