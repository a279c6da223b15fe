import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { OperationError } from '../../../src/operation/error.ts';
import type { StartTimer } from '../../../src/operation/time-limit.ts';
import { deployment, hook, job } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest, timeUpWhen } from '../world.ts';

const test = sandboxTest();

const secret = `apiVersion: v1
kind: Secret
metadata: { name: db }
stringData: { password: simulated }
`;

test('reports events, containers and logs before the operation is undone, without secrets', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('bad', { behaviour: 'crash-loop' }), 's.yaml': secret });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync<OperationError>(
    world.install(chart, {}, timeUpWhen(world, /CrashLoopBackOff: last exit/)),
  );
  const place = world.progress.findIndex(({ evidence }) => evidence !== undefined);
  const undo = world.progress.findIndex(({ step }) => step === 'uninstall');
  t.true(place >= 0 && place < undo);
  const resource = world.progress[place]?.evidence?.resources[0];
  t.like(resource, { kind: 'Deployment', name: 'bad', status: 'InProgress', problem: { code: 'crash_loop' } });
  t.true(resource?.conditions.some(({ type }) => type === 'Available'));
  t.true(resource?.events.some(({ reason, object }) => reason === 'BackOff' && object.startsWith('Pod/bad-')));
  const container = resource?.pods[0]?.containers[0];
  t.regex(container?.state ?? '', /exit code 1/);
  t.is(container?.log ?? container?.previousLog, 'fatal: *** failure\n');
  t.is(error.resources[0]?.log, 'fatal: *** failure');
});

test('redacts what is in Secrets that pods use, in evidence, statuses and the error', async (t) => {
  const template = {
    metadata: { labels: { app: 'bad' }, annotations: { 'sandbox.helm-agent/behaviour': 'crash-loop' } },
    spec: {
      imagePullSecrets: [{ name: 'missing' }],
      containers: [
        {
          ...{ name: 'app', image: 'localhost/app:1', readinessProbe: { httpGet: { path: '/', port: 80 } } },
          envFrom: [{ secretRef: { name: 'existing' } }],
        },
      ],
    },
  };
  const manifest = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'bad' } },
    spec: { replicas: 1, selector: { matchLabels: { app: 'bad' } }, template },
  };
  const chart = textChart({ 'd.yaml': JSON.stringify(manifest) });
  const world = newWorld(t, chart);
  // the reason is that of the kubelet here; a termination message would be a part of it
  const stringData = { password: 'simulated', other: 'last exit code' };
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.namespace } });
  const metadata = { name: 'existing', namespace: world.namespace };
  await world.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  const error = await t.throwsAsync<OperationError>(
    world.install(chart, {}, timeUpWhen(world, /CrashLoopBackOff: \*\*\*/)),
  );
  t.regex(error.message, /CrashLoopBackOff: \*\*\* 1/);
  const everything = JSON.stringify([world.progress, error.message, error.resources]);
  t.false(everything.includes('simulated'));
  t.false(everything.includes('last exit code'));
  t.is(error.resources[0]?.log, 'fatal: *** failure');
});

test('reports the log of a hook before its policy deletes it', async (t) => {
  const annotations = hook('pre-install', { policy: 'hook-failed' });
  const chart = textChart({ 'h.yaml': job('load', { args: ['fail'], annotations }) });
  const world = newWorld(t, chart);
  await t.throwsAsync(world.install(chart), { code: 'hook_failed' });
  const evidence = world.progress.flatMap((item) => item.evidence ?? []);
  t.is(evidence.length, 1);
  t.regex(evidence[0]?.resources[0]?.pods[0]?.containers[0]?.log ?? '', /boom: cannot reach database/);
  t.is(await world.find('Job', 'load'), undefined);
});

test('undoes the operation although a log cannot be read', async (t) => {
  const chart = textChart({ 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, chart);
  let endCollection: () => void = () => undefined;
  const startTimer: StartTimer = (milliseconds, onEnd) => {
    if (milliseconds === 10_000) endCollection = onEnd;
    return () => undefined;
  };
  const cluster: Cluster = {
    ...world.cluster,
    podLog(_, { signal }) {
      setImmediate(endCollection);
      return sleep(3_600_000, '', { ref: false, signal });
    },
  };
  await t.throwsAsync(world.install(chart, {}, { cluster, startTimer }), { code: 'not_ready' });
  t.is(await world.find('Job', 'load'), undefined);
  const [evidence] = world.progress.flatMap((item) => item.evidence ?? []);
  t.like(evidence?.resources[0], { kind: 'Job', name: 'load', status: 'Failed' });
});
