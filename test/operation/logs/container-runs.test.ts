import test from 'ava';
import { containerRuns } from '../../../src/operation/logs/container-runs.ts';

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
