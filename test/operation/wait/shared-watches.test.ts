import { randomBytes } from 'node:crypto';
import test from 'ava';
import { connectCluster } from '../../../src/kube/cluster.ts';
import { Cancellation } from '../../../src/operation/cancellation.ts';
import { install } from '../../../src/operation/install.ts';
import type { Progress } from '../../../src/operation/progress.ts';
import { createTracker } from '../../../src/operation/tracker/tracker.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { eventually } from '../../support/eventually.ts';
import { realHost } from '../../support/host.ts';
import { deployment, job } from '../manifests.ts';
import { textChart, textRenderer } from '../text-renderer.ts';
import { passOn, startFaultyProxy } from './faulty-proxy.ts';

const host = { ...realHost, now: () => 1_700_000_000_000_000_000n };

test('20 releases that wait at once share one watch for each kind and namespace', async (t) => {
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  t.teardown(() => sandbox.close());
  const [, token = ''] = /token: "?([^"\s]+)/.exec(sandbox.kubeconfig) ?? [];
  const proxy = await startFaultyProxy(t, { ...sandbox, token }, passOn);
  const cluster = connectCluster({ text: proxy.kubeconfig });
  t.teardown(() => cluster.close());
  const tracker = createTracker(cluster);
  const stop = new AbortController();
  const waiting = new Set<string>();
  const suffix = randomBytes(4).toString('hex');
  const namespaces = [`a-${suffix}`, `b-${suffix}`];
  for (const name of namespaces) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const installations = Array.from({ length: 20 }, async (_, index) => {
    const releaseName = `web-${index}`;
    const namespace = namespaces[index % 2] ?? '';
    const chart = textChart({
      'd.yaml': deployment(releaseName, { behaviour: 'never-ready' }),
      'j.yaml': job(`load-${index}`, { args: ['sleep', '1000s'] }),
    });
    const storage = openStorage('secret', { cluster, host, onUnreadable: () => t.fail() });
    const progress = ({ resources = [] }: Progress) => {
      if (resources.some(({ kind, reason = '' }) => kind === 'Deployment' && reason !== '')) waiting.add(releaseName);
    };
    const context = { cluster, tracker, storage, renderer: textRenderer([chart]), host, signal: stop.signal, progress };
    const loadChart = () => Promise.resolve(chart.chart);
    const request = { namespace, releaseName, loadChart, createNamespace: false, timeout: 3_600_000 };
    await t.throwsAsync(install(context, request), { code: 'cancelled' });
  });
  await eventually('all installations wait', () => waiting.size === installations.length);
  const collections = namespaces.flatMap((namespace) => [
    `/api/v1/namespaces/${namespace}/events`,
    `/api/v1/namespaces/${namespace}/pods`,
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    `/apis/apps/v1/namespaces/${namespace}/replicasets`,
    `/apis/batch/v1/namespaces/${namespace}/jobs`,
  ]);
  t.deepEqual(proxy.openWatches().sort(), collections.sort());
  stop.abort(new Cancellation('enough', 'leave'));
  await Promise.all(installations);
  await eventually('all watches are closed', () => proxy.openWatches().length === 0);
  t.is(proxy.watches(), collections.length);
});
