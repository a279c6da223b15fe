import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Cluster } from '../../../src/objects/cluster.ts';
import { podLogs } from '../../../src/operation/pod-logs/pod-logs.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { conditionOf } from '../../../src/readiness/index.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorld, sandboxTest } from '../world.ts';

const test = sandboxTest();

/** Returns a cluster whose changes of a kind arrive when `released` has resolved. */
function late(cluster: Cluster, kind: string, released: Promise<undefined>): Pick<Cluster, 'observe'> {
  return {
    async *observe(query, signal) {
      let isFirst = true;
      for await (const change of cluster.observe(query, signal)) {
        if (query.kind === kind && !isFirst) await released;
        isFirst = false;
        yield change;
      }
    },
  };
}

for (const kind of ['Job', 'Pod']) {
  test(`the log of a Job is whole if the watch of ${kind}s is behind`, async (t) => {
    const world = newWorld(t);
    const { cluster, namespace } = world;
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const released = Promise.withResolvers<undefined>();
    const tracker = createTracker(late(cluster, kind, released.promise));
    // as another command has the watches
    const others = ['Job', 'Pod'].map((one) => {
      const listed = Promise.withResolvers<undefined>();
      const apiVersion = one === 'Job' ? 'batch/v1' : 'v1';
      const tracking = tracker.track({ apiVersion, kind: one, namespace }, () => listed.resolve(undefined));
      return { tracking, listed: listed.promise };
    });
    await Promise.all(others.map(({ listed }) => listed));
    const annotations = { 'sandbox.helm-agent/log': 'one\ntwo' };
    const containers = [{ name: 'main', image: 'app:1' }];
    await cluster.create({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'backup', namespace } },
      spec: { template: { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } } },
    });
    const stream = new PassThrough();
    const printed = text(stream);
    const reading = podLogs(world.context({ tracker, openStream: () => Promise.resolve(stream) }), {
      ...{ namespace, name: 'job/backup', follow: true },
    });
    const ref = { apiVersion: 'batch/v1', kind: 'Job', name: 'backup', namespace };
    await eventually('the Job has ended', async () => {
      const job = await cluster.get(ref);
      return job !== undefined && conditionOf(job, 'Complete', 'True') !== undefined;
    });
    released.resolve(undefined);
    t.deepEqual(await reading, { containers: 1 });
    t.regex(await printed, /one\n(.*\n)?two/);
    await Promise.all(others.map(async ({ tracking }) => await tracking.release()));
  });
}
