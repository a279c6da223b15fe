import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createLogBudget, type LogLimits } from '../../../src/operation/logs/log-budget.ts';
import { createLogReports } from '../../../src/operation/logs/log-reports.ts';
import type { LogLines } from '../../../src/operation/progress.ts';
import { findSecrets } from '../../../src/redaction/find-secrets.ts';
import { redactTexts } from '../../../src/redaction/redact-texts.ts';

const source = (container: string) => ({
  resource: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'load' },
  pod: 'load-1',
  container,
});

const secret = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' } },
  stringData: { key: 'one\ntwo', password: 'hunter2-long' },
};

function redactSecret(text: string): Promise<string> {
  return Promise.resolve(redactTexts([text], findSecrets([secret], 'shop').texts)[0] ?? '');
}

/** Reports, with a clock and a timer that a test moves. */
function reporting(limits: Partial<LogLimits> = {}, redact = redactSecret) {
  const reported: LogLines[] = [];
  let now = 0;
  let end: (() => void) | undefined;
  const budget = createLogBudget(() => now, { bytesPerSecond: 1000, burst: 10_000, total: 100_000, ...limits });
  const reports = createLogReports({
    budget,
    redact,
    report: (log) => void reported.push(log),
    startTimer(_, onEnd) {
      end = onEnd;
      return () => (end = undefined);
    },
  });
  const pass = async (milliseconds: number) => {
    now += milliseconds;
    end?.();
    await setImmediate(); // the lines are redacted
  };
  return { reports, reported, pass, isTimerOpen: () => end !== undefined };
}

test('reports the lines of each container together, after a moment', async (t) => {
  const { reports, reported, pass, isTimerOpen } = reporting();
  reports.add(source('app'), 'first');
  reports.add(source('side'), 'third');
  reports.add(source('app'), 'second');
  t.deepEqual(reported, []);
  await pass(200);
  t.deepEqual(reported, [
    { ...source('app'), lines: ['first', 'second'] },
    { ...source('side'), lines: ['third'] },
  ]);
  t.false(isTimerOpen());
});

test('redacts secrets, also those of several lines, and shortens long lines after that', async (t) => {
  const { reports, reported, pass } = reporting();
  for (const line of ['login hunter2-long', 'key one', 'two', `${'x'.repeat(4090)}hunter2-long`]) {
    reports.add(source('app'), line);
  }
  await pass(200);
  t.deepEqual(reported[0]?.lines, ['login ***', 'key ***', `${'x'.repeat(4090)}***`]);
});

test('leaves out what is beyond the bytes a second, and says how much', async (t) => {
  const { reports, reported, pass } = reporting({ burst: 1000 });
  for (let index = 0; index < 100; index++)
    reports.add(source('app'), `${String(index).padStart(4, '0')} ${'x'.repeat(87)}`);
  await pass(200);
  t.is(reported[0]?.lines.length, 7);
  t.deepEqual(reported[0]?.omitted, { lines: 93, bytes: 93 * 93 });
  await pass(800);
  reports.add(source('app'), 'later');
  await pass(200);
  t.deepEqual(reported[1], { ...source('app'), lines: ['later'] });
});

test('reports nothing more when the bytes of the command are used up', async (t) => {
  const { reports, reported, pass } = reporting({ total: 500 });
  reports.add(source('app'), 'x'.repeat(300));
  t.true(reports.isFull);
  reports.add(source('app'), 'more');
  await pass(200);
  t.like(reported[0], { omitted: { lines: 1, bytes: 5 }, isFull: true });
  reports.add(source('app'), 'even more');
  await reports.close();
  t.is(reported.length, 1);
});

test('lets readers wait until what they have read is reported', async (t) => {
  const { reports, pass } = reporting();
  await reports.room();
  reports.add(source('app'), 'x'.repeat(300_000));
  let hasRoom = false;
  const room = reports.room().then(() => (hasRoom = true));
  await Promise.resolve();
  t.false(hasRoom);
  await pass(200);
  await room;
  t.true(hasRoom);
});

test('stops its timer and reports what is left at the end', async (t) => {
  const { reports, reported, isTimerOpen } = reporting();
  reports.add(source('app'), 'last');
  await reports.close();
  t.deepEqual(reported[0]?.lines, ['last']);
  t.false(isTimerOpen());
});

test('keeps the order of reports if one takes longer to redact than the next', async (t) => {
  const first = Promise.withResolvers<string>();
  const { reports, reported, pass } = reporting({}, (text) => (text === 'first' ? first.promise : redactSecret(text)));
  reports.add(source('app'), 'first');
  await pass(200);
  reports.add(source('app'), 'second');
  await pass(200);
  t.deepEqual(reported, []);
  first.resolve('first');
  await reports.close();
  t.deepEqual(
    reported.map(({ lines }) => lines),
    [['first'], ['second']],
  );
});

test('leaves out lines that cannot be redacted, and says how many', async (t) => {
  const { reports, reported } = reporting({}, () => Promise.reject(new Error('no thread')));
  reports.add(source('app'), 'first');
  reports.add(source('app'), 'second');
  await reports.close();
  t.deepEqual(reported, [{ ...source('app'), lines: [], omitted: { lines: 2, bytes: 13 } }]);
});
