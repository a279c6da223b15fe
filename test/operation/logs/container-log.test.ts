import test, { type ExecutionContext } from 'ava';
import type { FollowOptions, LogLine } from '../../../src/objects/cluster.ts';
import type { ClusterErrorCode } from '../../../src/objects/cluster-error.ts';
import { ContainerLog } from '../../../src/operation/logs/container-log.ts';
import type { ContainerRun } from '../../../src/operation/logs/container-runs.ts';

const container = { namespace: 'shop', name: 'migrate-1', container: 'app' };
const time = (number: number) => `2026-01-01T10:00:00.${String(number).padStart(9, '0')}Z`;

type Reply = readonly [
  request: 'follow' | 'rest' | 'previous',
  /** Number of lines in the log. */
  lines: number,
  failure?: ClusterErrorCode | undefined,
  then?: ContainerRun,
];

const running = (run: number): ContainerRun => ({ container: 'app', run, hasEnded: false, hasPrevious: run > 0 });
const ended = (run: number): ContainerRun => ({ ...running(run), hasEnded: true });

/**
 * Reads a log. Requests get these replies in turn; the log sees a run after some of them. Returns
 * the lines, and `missing` where some may be missing.
 */
async function read(t: ExecutionContext, first: ContainerRun, replies: readonly Reply[]): Promise<string[]> {
  const left = [...replies];
  const printed: string[] = [];
  const log = new ContainerLog({
    container,
    cluster: {
      async *followLog(_, { after = '', previous, follow }: FollowOptions): AsyncGenerator<LogLine> {
        const [request, lines, code, then] = left.shift() ?? (['rest', 0] as const);
        t.is(previous === true ? 'previous' : follow === false ? 'rest' : 'follow', request);
        for (let number = 1; number <= lines; number++) {
          if (time(number) > after) yield { time: time(number), text: String(number) };
        }
        if (then) log.see(then);
        await Promise.resolve();
        if (code) throw Object.assign(new Error('no watch'), { code });
      },
    },
    onLine(line) {
      printed.push(line);
      return Promise.resolve();
    },
    onMissing(message) {
      t.is(message, 'a log of container app of pod migrate-1 was deleted before it was read');
      printed.push('missing');
    },
    signal: new AbortController().signal,
  });
  t.true(log.see(first));
  await log.read();
  t.is(left.length, 0);
  return printed;
}

test('a log that the kubelet cannot follow is read again, and its rest without a watch', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 1, 'server_error'],
    ['follow', 2, 'server_error', ended(0)],
    ['rest', 3],
  ]);
  t.deepEqual(lines, ['1', '2', '3']);
});

test('the end of a run is read from the log before, if the container has restarted', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 1, 'unreachable', running(1)],
    ['previous', 2],
    ['follow', 4, undefined, ended(1)],
    ['rest', 4],
  ]);
  t.deepEqual(lines, ['1', '2', '3', '4']);
});

test('the rest of a log is read again after a failure that may pass', async (t) => {
  t.deepEqual(
    await read(t, ended(0), [
      ['rest', 1, 'server_error'],
      ['rest', 2],
    ]),
    ['1', '2'],
  );
});

test('a deleted log of the run before is left at once, and its lines may be missing', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 1, 'unreachable', running(1)],
    ['previous', 0, 'server_error'],
    ['follow', 4, undefined, ended(1)],
    ['rest', 4],
  ]);
  t.deepEqual(lines, ['1', 'missing', '2', '3', '4']);
});

test('no lines are missing if the log of the run before was read to its end, and then deleted', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 2, undefined, running(1)],
    ['previous', 0, 'server_error'],
    ['follow', 3, undefined, ended(1)],
    ['rest', 3],
  ]);
  t.deepEqual(lines, ['1', '2', '3']);
});

test('the rest of a run is not looked for in the log of another one', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 1, 'unreachable', running(1)],
    ['previous', 0, 'unreachable', running(2)],
    ['previous', 2],
    ['follow', 3, undefined, ended(2)],
    ['rest', 3],
  ]);
  t.deepEqual(lines, ['1', 'missing', '2', '3']);
});

const isRead = test.macro(
  async (t, { first, replies, lines }: { first: ContainerRun; replies: Reply[]; lines: string[] }) => {
    const end = { ...first, hasEnded: true };
    t.deepEqual(await read(t, first, [...replies, ['follow', 2, undefined, end], ['rest', 2]]), lines);
  },
);

test('the newest run is read although the log of the run before was deleted', isRead, {
  first: running(1),
  replies: [['previous', 0, 'server_error']],
  lines: ['missing', '1', '2'],
});

test('the newest run is read although the log of the run before is not kept', isRead, {
  first: { ...running(1), hasPrevious: false },
  replies: [],
  lines: ['missing', '1', '2'],
});

test('the newest run is read after one of several runs before', isRead, {
  first: running(2),
  replies: [['previous', 1]],
  lines: ['1', 'missing', '2'],
});

test('the log of a pod that is deleted after its end was read is whole', async (t) => {
  const lines = await read(t, running(0), [
    ['follow', 2, undefined, ended(0)],
    ['rest', 0, 'not_found'],
  ]);
  t.deepEqual(lines, ['1', '2']);
});

test('a log that may not be read is an error', async (t) => {
  await t.throwsAsync(read(t, running(0), [['follow', 0, 'forbidden']]), { code: 'forbidden' });
});
