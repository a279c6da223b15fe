import test from 'ava';
import { annotatedDuration } from '../../src/operation/annotated-duration.ts';
import type { ResourceStatus } from '../../src/operation/resource-status.ts';
import { failureCheck } from '../../src/operation/wait/limits.ts';

const count = 10_000;
const longestMs = 200;

/** Returns the processor time of the shortest of three runs in milliseconds. */
function timeOf(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = process.threadCpuUsage();
    run();
    return process.threadCpuUsage(start).user / 1000;
  });
  return Math.min(...times);
}

const deployment = (index: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: `web-${index}`,
});

test.serial(`judges ${count} resources that crash again and again in ${longestMs} ms`, (t) => {
  const resources = Array.from({ length: count }, (_, index): ResourceStatus => ({
    ...deployment(index),
    status: 'InProgress',
    problem: { code: 'crash_loop', class: 'likely', failures: 2, exit: '1' },
  }));
  const options = { clock: () => 0, reasonsAreListed: () => true };
  const check = failureCheck(resources, { grace: 60_000, crashGrace: 30_000 }, options);
  const time = timeOf(() => check(resources));
  t.true(time < longestMs, `${time} ms`);
});

for (const part of ['1', '1ns', '.', ',']) {
  test.serial(`refuses a time limit of 1 MiB of ${JSON.stringify(part)} with a short message`, (t) => {
    const annotations = { 'helm-agent/ready-timeout': part.repeat((1024 * 1024) / part.length) };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations } };
    const error = t.throws(() => annotatedDuration('helm-agent/ready-timeout', object, 'Pod web'), {
      code: 'invalid_manifest',
    });
    t.true(error.message.length < 300);
    const time = timeOf(() => t.throws(() => annotatedDuration('helm-agent/ready-timeout', object, 'Pod web')));
    t.true(time < longestMs, `${time} ms`);
  });
}
