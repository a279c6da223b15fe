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

/** Reads a log. Requests get these replies in turn; the log sees a run after some of them. */
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

test('a log that may not be read is an error', async (t) => {
  await t.throwsAsync(read(t, running(0), [['follow', 0, 'forbidden']]), { code: 'forbidden' });
});
