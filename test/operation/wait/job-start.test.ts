import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { ObservedChange } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { jobStartTimeout, waitUntilJobStarted } from '../../../src/operation/wait/job-start.ts';
import type { WaitContext } from '../../../src/operation/wait/watches.ts';
import { realHost } from '../../support/host.ts';
import { watchedCluster } from '../watched-cluster.ts';

const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'a', name: 'task' };

function jobWith(status: object, { uid = 'u', resourceVersion = '1' } = {}): KubeObject {
  return { ...ref, metadata: { name: 'task', namespace: 'a', uid, resourceVersion }, status };
}

const waiting = 'waiting for the start of Job task, which is deleted then';

const started = { startTime: '2026-01-01T00:00:00Z', active: 1 };

function listed(...objects: KubeObject[]): ObservedChange {
  return { type: 'snapshot', objects, resourceVersion: '1' };
}

function newWait(changes: ObservedChange[], context: Partial<WaitContext> = {}) {
  const cluster = watchedCluster(() => changes);
  const messages: string[] = [];
  const stop = new AbortController();
  const tools = {
    signal: stop.signal,
    report: ({ message = '' }) => void messages.push(message),
  };
  const options = { context: { tracker: createTracker(cluster), host: realHost, ...context }, tools };
  return {
    cluster,
    messages,
    stop,
    run: (live: KubeObject) => waitUntilJobStarted({ ...ref, kind: live.kind }, live, options),
  };
}

test('a Job that has started is not waited for, nor is another kind', async (t) => {
  const { run, cluster } = newWait([]);
  await run(jobWith(started));
  await run(jobWith({ conditions: [{ type: 'Suspended', status: 'True' }] }));
  await run({ ...jobWith({}), spec: { managedBy: 'kueue.x-k8s.io/multikueue' } });
  await run({ ...jobWith({}), kind: 'CronJob' });
  t.deepEqual(cluster.queries, []);
});

const endings: Record<string, ObservedChange> = {
  'the controller has started the Job': {
    type: 'changed',
    object: jobWith(started, { resourceVersion: '2' }),
  },
  'the Job is gone': { type: 'deleted', object: jobWith({}, { resourceVersion: '2' }) },
  'another Job has its name': { type: 'changed', object: jobWith({}, { uid: 'v', resourceVersion: '2' }) },
};

for (const [title, change] of Object.entries(endings)) {
  test(`the wait ends when ${title}`, async (t) => {
    const { run, messages } = newWait([listed(jobWith({})), change]);
    await run(jobWith({}));
    t.deepEqual(messages, [waiting]);
  });
}

test('a Job of which only the metadata was read is not waited for if it has started', async (t) => {
  const { run, messages } = newWait([listed(jobWith(started))]);
  await run(jobWith({}));
  t.deepEqual(messages, []);
});

test('a Job that the controller does not start is given up after some time, with a message', async (t) => {
  let now = 0n;
  const { run, messages } = newWait([listed(jobWith({}))], {
    host: { ...realHost, now: () => now },
    startWakeTimer(delay, onEnd) {
      now += BigInt(delay) * 1_000_000n;
      const timer = setTimeout(onEnd, 20); // after the list
      return () => clearTimeout(timer);
    },
  });
  await run(jobWith({}));
  t.deepEqual(messages, [waiting, `Job task was not started for ${jobStartTimeout / 1000}s; deleting it`]);
});

test('the wait for the start of a Job ends with its step', async (t) => {
  const { run, stop } = newWait([listed(jobWith({}))]);
  const ended = run(jobWith({}));
  await setImmediate();
  stop.abort(new Error('enough'));
  await t.throwsAsync(ended, { message: 'enough' });
});
