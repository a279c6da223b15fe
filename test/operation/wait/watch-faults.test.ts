import { setTimeout as sleep } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import { connectCluster } from '../../../src/kube/cluster.ts';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { OperationError } from '../../../src/operation/error.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { readinessOf } from '../../../src/readiness/readiness.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { failure, fastTimes } from '../../kube/fake-server.ts';
import { realHost } from '../../support/host.ts';
import { deployment, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld } from '../world.ts';
import { passOn, startFaultyProxy, type WatchFault } from './faulty-proxy.ts';

const test = anyTest as TestFn<{ cluster: Cluster; kubeconfig: string }>;
let sandbox: Sandbox;

test.before(async () => {
  sandbox = await startSandbox({ host: realHost, speed: 20 });
});
test.after.always(() => sandbox.close());

/** Sends some lines, and then closes the connection. */
function dropsAfter(count: number): WatchFault {
  return async (lines, response) => {
    response.writeHead(200).flushHeaders();
    let sent = 0;
    for await (const line of lines) {
      response.write(`${line}\n`);
      if (++sent === count) break;
    }
    await sleep(20); // so that what was sent arrives
    response.destroy();
  };
}

const staysSilent: WatchFault = async (lines, response) => {
  response.writeHead(200).flushHeaders();
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst) response.write(`${line}\n`);
    isFirst = false;
  }
};

const gone = failure(410, 'Expired', 'too old resource version: 1 (99)');
const tooMany = failure(429, 'TooManyRequests', 'too many requests');

const faults: Record<string, WatchFault> = {
  'drops each watch after one event': dropsAfter(1),
  'drops each watch after two events': dropsAfter(2),
  'ends every second watch with 410': (lines, response, count) => {
    if (count % 2 === 1) return passOn(lines, response, count);
    response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: gone })}\n`);
    return Promise.resolve();
  },
  'responds to every second watch with 410': (lines, response, count) => {
    if (count % 2 === 1) return passOn(lines, response, count);
    response.writeHead(410).end(JSON.stringify(gone));
    return Promise.resolve();
  },
  'responds to most watches with 429': (lines, response, count) => {
    if (count % 3 === 2) return passOn(lines, response, count);
    response.writeHead(429, { 'retry-after': '0' }).end(JSON.stringify(tooMany));
    return Promise.resolve();
  },
  'is silent after the first event of a watch': staysSilent,
  'sends events out of order': async (lines, response) => {
    response.writeHead(200).flushHeaders();
    let held: string[] = [];
    const send = () => {
      for (const line of held.splice(0).reverse()) response.write(`${line}\n`);
    };
    for await (const line of lines) {
      if (held.push(line) === 1) setTimeout(send, 50);
    }
    held = [];
  },
  'lags behind': async (lines, response) => {
    response.writeHead(200).flushHeaders();
    for await (const line of lines) {
      setTimeout(() => response.write(`${line}\n`), 400);
    }
  },
};

for (const [title, fault] of Object.entries(faults)) {
  test(`an API server that ${title} changes no verdict`, async (t) => {
    const [, token = ''] = /token: "?([^"\s]+)/.exec(sandbox.kubeconfig) ?? [];
    const proxy = await startFaultyProxy(t, { ...sandbox, token }, fault);
    const observeTimes = {
      ...fastTimes.observeTimes,
      ...(fault === staysSilent && { silence: 300, initialSilence: 300 }),
    };
    const cluster = connectCluster({ text: proxy.kubeconfig }, { ...fastTimes, observeTimes });
    t.context = { cluster, kubeconfig: proxy.kubeconfig };
    const tracker = createTracker(cluster, { linger: 10_000 });
    t.teardown(async () => {
      await tracker.close();
      await cluster.close();
    });

    const files = (args: string[]) => ({ 'd.yaml': deployment('web', { args, replicas: 2 }), 'j.yaml': job('load') });
    const [first, second, third] = [
      textChart(files(['serve'])),
      textChart({ ...files(['serve', 'more']), 'j.yaml': '' }),
      textChart({ ...files(['serve', 'more']), 'j.yaml': job('fails', { args: ['fail'] }) }),
    ];
    const world = newWorld(t, first, second, third);
    const isReady = async () => {
      const web = await world.find('Deployment', 'web');
      return web !== undefined && readinessOf(web, { now: 0 }).status === 'Current';
    };
    await world.install(first, {}, { tracker });
    t.true(await isReady());
    await world.upgrade(second, {}, { tracker });
    t.true(await isReady());
    const error = await t.throwsAsync<OperationError>(world.upgrade(third, { atomic: false }, { tracker }));
    t.is(error.code, 'not_ready');
    t.regex(error.message, /Job\/.*\/fails not ready\. status: Failed/);
    t.deepEqual(await world.history(), ['1:superseded', '2:deployed', '3:failed']);
  });
}
