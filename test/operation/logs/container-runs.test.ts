import test from 'ava';
import { type ContainerRun, containerRuns, logOfRun } from '../../../src/operation/logs/container-runs.ts';

const terminated = { terminated: { exitCode: 1 } };
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const waiting = { waiting: { reason: 'CrashLoopBackOff' } };

const rows: [title: string, status: object, found: string][] = [
  ['has not started', { state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 0 }, ''],
  ['runs', { state: running, restartCount: 0 }, 'app 0'],
  ['has ended', { state: terminated, restartCount: 0 }, 'app 0 ended'],
  ['runs again', { state: running, lastState: terminated, restartCount: 1 }, 'app 1 previous'],
  ['has ended again', { state: terminated, lastState: terminated, restartCount: 1 }, 'app 1 ended previous'],
  ['waits for its restart', { state: waiting, lastState: terminated, restartCount: 2 }, 'app 2 ended'],
];

for (const [title, status, found] of rows) {
  test(`finds the newest run of a container that ${title}`, (t) => {
    const statuses = [{ name: 'app', ...status }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, status: { containerStatuses: statuses } };
    const texts = containerRuns(pod).map(({ container, run, hasEnded, hasPrevious }) =>
      [container, run, ...(hasEnded ? ['ended'] : []), ...(hasPrevious ? ['previous'] : [])].join(' '),
    );
    t.is(texts.join(), found);
  });
}

test('the log of a run is the current one, that before, or none any more', (t) => {
  const newest = (run: number, hasPrevious = true): ContainerRun => ({
    ...{ container: 'app', run, hasEnded: false, hasPrevious },
  });
  t.is(logOfRun(1, undefined), 'current');
  t.is(logOfRun(1, newest(1)), 'current');
  t.is(logOfRun(1, newest(2)), 'previous');
  t.is(logOfRun(1, newest(2, false)), undefined);
  t.is(logOfRun(1, newest(3)), undefined);
});
