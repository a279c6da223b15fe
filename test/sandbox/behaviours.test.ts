import test, { type ExecutionContext } from 'ava';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../api/environment.ts';
import { deployment, job } from '../api/workload-objects.ts';
import { realHost } from '../support/host.ts';

const namespace = 'default';

/** Starts a sandbox in which time passes 20 times faster. */
async function quickSandbox(t: ExecutionContext): Promise<KubeCluster> {
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(async () => {
    await cluster.close();
    await sandbox.close();
  });
  return cluster;
}

function withBehaviour(object: KubeObject, behaviour: string, more: Record<string, string> = {}): KubeObject {
  const annotations = { 'sandbox.helm-agent/behaviour': behaviour, ...more };
  const spec = object['spec'] as { template: { metadata?: object } };
  const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
  return { ...object, spec: { ...spec, template } };
}

function withSpec(object: KubeObject, spec: object): KubeObject {
  return { ...object, spec: { ...(object['spec'] as object), ...spec } };
}

interface Status {
  phase?: string;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  updateRevision?: string;
  currentRevision?: string;
  failed?: number;
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
  containerStatuses?: {
    name: string;
    restartCount: number;
    state: { waiting?: { reason: string; message: string }; terminated?: { exitCode: number } };
  }[];
  initContainerStatuses?: { name: string; state: { waiting?: { reason: string }; terminated?: { reason: string } } }[];
}

function statusOf(object: KubeObject | undefined): Status {
  return object?.['status'] ?? {};
}

function refTo({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace, name: metadata.name };
}

function condition(object: KubeObject | undefined, type: string): string | undefined {
  const found = statusOf(object).conditions?.find((candidate) => candidate.type === type);
  return found && `${found.status} ${found.reason ?? ''}`.trim();
}

function until(
  cluster: KubeCluster,
  ref: ObjectRef,
  what: string,
  holds: (object: KubeObject) => boolean,
): Promise<KubeObject> {
  return eventually(what, 50, async () => {
    const object = await cluster.get(ref);
    return object && holds(object) ? object : undefined;
  });
}

/**
 * Returns the first pod with a matching status. Watches the pods, so that it does not miss a short
 * state.
 */
async function podOf(cluster: KubeCluster, what: string, holds: (status: Status) => boolean): Promise<KubeObject> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 50_000);
  try {
    for await (const change of cluster.observe({ apiVersion: 'v1', kind: 'Pod', namespace }, stop.signal)) {
      const pods = change.type === 'snapshot' ? change.objects : [change.object];
      const found = pods.find((pod) => holds(statusOf(pod)));
      if (found) return found;
    }
    throw new Error(`not within 50 s: ${what}`);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

const waitingFor: [behaviour: string, reason: string][] = [
  ['image-pull-error', 'ImagePullBackOff'],
  ['crash-loop', 'CrashLoopBackOff'],
];
for (const [behaviour, reason] of waitingFor) {
  test(`the behaviour ${behaviour} leads to ${reason}`, async (t) => {
    const cluster = await quickSandbox(t);
    await cluster.create(withBehaviour(deployment(namespace, 'web'), behaviour));
    const pod = await podOf(
      cluster,
      reason,
      (status) => status.containerStatuses?.[0]?.state.waiting?.reason === reason,
    );
    t.is(condition(pod, 'Ready'), 'False ContainersNotReady');
  });
}

test('the behaviour never-ready keeps pods running but unready, and the Deployment exceeds its deadline', async (t) => {
  const cluster = await quickSandbox(t);
  const object = withSpec(withBehaviour(deployment(namespace, 'web'), 'never-ready'), { progressDeadlineSeconds: 10 });
  await cluster.create(object);
  await podOf(cluster, 'the pod runs', ({ phase }) => phase === 'Running');
  const late = await until(
    cluster,
    refTo(object),
    'the deadline has passed',
    (found) => condition(found, 'Progressing')?.startsWith('False') === true,
  );
  t.is(condition(late, 'Progressing'), 'False ProgressDeadlineExceeded');
  t.is(condition(late, 'Available'), 'False MinimumReplicasUnavailable');
});

test('the behaviour ready-after delays readiness', async (t) => {
  const cluster = await quickSandbox(t);
  const object = withBehaviour(deployment(namespace, 'web'), 'ready-after=10s');
  const start = performance.now();
  await cluster.create(object);
  await until(cluster, refTo(object), 'it is available', (found) => statusOf(found).availableReplicas === 1);
  t.true(performance.now() - start > 10_000 / 20);
});

test('the behaviour unschedulable leaves pods without a node', async (t) => {
  const cluster = await quickSandbox(t);
  await cluster.create(withBehaviour(deployment(namespace, 'web'), 'unschedulable'));
  const pod = await podOf(cluster, 'the scheduler refuses the pod', ({ conditions }) => conditions !== undefined);
  t.is(condition(pod, 'PodScheduled'), 'False Unschedulable');
  t.is((pod['spec'] as { nodeName?: string }).nodeName, undefined);
});

test('the behaviour job-failure fails a Job, and its pod has the annotated log', async (t) => {
  const cluster = await quickSandbox(t);
  const object = withBehaviour(job(namespace, 'task', []), 'job-failure', {
    'sandbox.helm-agent/log': 'one\ntwo\nthree',
  });
  await cluster.create(object);
  const failed = await until(cluster, refTo(object), 'it failed', (found) => condition(found, 'Failed') !== undefined);
  t.is(condition(failed, 'Failed'), 'True BackoffLimitExceeded');
  const pod = await podOf(cluster, 'its pod failed', ({ phase }) => phase === 'Failed');
  const log = await cluster.podLog({ namespace, name: pod.metadata.name, container: 'app' }, { tailLines: 2 });
  t.is(log, 'two\nthree\n');
});

test('an annotation on the workload itself applies to its pods', async (t) => {
  const cluster = await quickSandbox(t);
  const object = deployment(namespace, 'web');
  await cluster.create({
    ...object,
    metadata: { ...object.metadata, annotations: { 'sandbox.helm-agent/behaviour': 'crash-loop' } },
  });
  const pod = await podOf(
    cluster,
    'it crashes',
    ({ containerStatuses }) => containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff',
  );
  t.true((statusOf(pod).containerStatuses?.[0]?.restartCount ?? 0) > 0);
});

const images: [image: string, pullPolicy: string, reason: string, message: RegExp][] = [
  [
    'app:missing',
    'IfNotPresent',
    'ErrImagePull',
    /failed to pull and unpack image "docker\.io\/library\/app:missing": .*not found$/,
  ],
  ['team/app:does-not-exist', 'Always', 'ErrImagePull', /"docker\.io\/team\/app:does-not-exist"/],
  ['registry.invalid/app:1', 'Always', 'ErrImagePull', /no such host$/],
  [
    'app:missing',
    'Never',
    'ErrImageNeverPull',
    /^Container image "app:missing" is not present with pull policy of Never$/,
  ],
  ['UPPER CASE', 'Always', 'InvalidImageName', /couldn't parse image name "UPPER CASE": invalid reference format$/],
];
for (const [image, imagePullPolicy, reason, message] of images) {
  test(`the image ${image} with pull policy ${imagePullPolicy} leads to ${reason}`, async (t) => {
    const cluster = await quickSandbox(t);
    await cluster.create(deployment(namespace, 'web', { image, imagePullPolicy }));
    const pod = await podOf(
      cluster,
      reason,
      ({ containerStatuses }) => containerStatuses?.[0]?.state.waiting?.reason === reason,
    );
    t.regex(statusOf(pod).containerStatuses?.[0]?.state.waiting?.message ?? '', message);
  });
}

test('containers wait until their init containers succeed', async (t) => {
  const cluster = await quickSandbox(t);
  const init = (...args: string[]): object => ({ initContainers: [{ name: 'first', image: 'localhost/app:1', args }] });
  const object = deployment(namespace, 'web');
  const template = (object['spec'] as { template: { spec: object } }).template;
  await cluster.create(
    withSpec(object, { template: { ...template, spec: { ...template.spec, ...init('sleep', '1s') } } }),
  );
  const ready = await until(
    cluster,
    refTo(object),
    'it is available',
    (found) => statusOf(found).availableReplicas === 1,
  );
  t.is(condition(ready, 'Available'), 'True MinimumReplicasAvailable');
  const pod = await podOf(
    cluster,
    'the init container ended',
    ({ initContainerStatuses }) => initContainerStatuses?.[0]?.state.terminated?.reason === 'Completed',
  );
  t.is(condition(pod, 'Initialized'), 'True');

  const broken = deployment(namespace, 'broken');
  const labelled = (broken['spec'] as { template: { spec: object } }).template;
  await cluster.create(withSpec(broken, { template: { ...labelled, spec: { ...labelled.spec, ...init('fail') } } }));
  const stuck = await podOf(
    cluster,
    'the init container is in a crash loop',
    ({ initContainerStatuses }) => initContainerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff',
  );
  t.is(statusOf(stuck).phase, 'Pending');
  t.is(statusOf(stuck).containerStatuses?.[0]?.state.waiting?.reason, 'PodInitializing');
});

test('a failing Job retries up to its backoffLimit, after a back-off of 10 s', async (t) => {
  const cluster = await quickSandbox(t);
  const object = withSpec(job(namespace, 'task', ['fail']), { backoffLimit: 1 });
  const start = performance.now();
  await cluster.create(object);
  const failed = await until(cluster, refTo(object), 'it failed', (found) => condition(found, 'Failed') !== undefined);
  t.is(statusOf(failed).failed, 2);
  t.true(performance.now() - start > 10_000 / 20);
});

test('a finished Job is deleted when its time to live is over', async (t) => {
  const cluster = await quickSandbox(t);
  const object = withSpec(job(namespace, 'task', ['true']), { ttlSecondsAfterFinished: 20 });
  await cluster.create(object);
  await until(cluster, refTo(object), 'it is complete', (found) => condition(found, 'Complete') !== undefined);
  t.true(await eventually('it is gone', 10, async () => ((await cluster.get(refTo(object))) ? undefined : true)));
});

test('a ReplicaSet reports that it cannot create pods whose service account does not exist', async (t) => {
  const cluster = await quickSandbox(t);
  const object = deployment(namespace, 'web');
  const template = (object['spec'] as { template: { spec: object } }).template;
  await cluster.create(
    withSpec(object, { template: { ...template, spec: { ...template.spec, serviceAccountName: 'absent' } } }),
  );
  const failing = await until(
    cluster,
    refTo(object),
    'it reports the failure',
    (found) => condition(found, 'ReplicaFailure') !== undefined,
  );
  t.is(condition(failing, 'ReplicaFailure'), 'True FailedCreate');
  const message = statusOf(failing).conditions?.find(({ type }) => type === 'ReplicaFailure')?.message ?? '';
  t.regex(
    message,
    /^pods "web-\w+-\w+" is forbidden: error looking up service account default\/absent: serviceaccount "absent" not found$/,
  );
});

test('a StatefulSet updates its pods to a new revision', async (t) => {
  const cluster = await quickSandbox(t);
  const { spec, ...rest } = deployment(namespace, 'db');
  const object = { ...rest, kind: 'StatefulSet', spec: { ...(spec as object), replicas: 2, serviceName: 'db' } };
  await cluster.create(object);
  const first = await until(cluster, refTo(object), 'it is ready', (found) => statusOf(found).readyReplicas === 2);
  await cluster.mergePatch(refTo(object), { spec: { template: { metadata: { annotations: { version: '2' } } } } });
  const second = await until(cluster, refTo(object), 'it is updated', (found) => {
    const { readyReplicas, observedGeneration, currentRevision, updateRevision } = statusOf(found);
    return observedGeneration === 2 && readyReplicas === 2 && currentRevision === updateRevision;
  });
  t.not(statusOf(second).currentRevision, statusOf(first).currentRevision);
});

test('a claim is bound, and a load balancer and an ingress get an address', async (t) => {
  const cluster = await quickSandbox(t);
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  await cluster.create(claim);
  t.like(await until(cluster, refTo(claim), 'it is bound', (found) => statusOf(found).phase === 'Bound'), {
    status: { capacity: { storage: '1Gi' } },
  });
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  };
  await cluster.create(service);
  const ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace },
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  };
  await cluster.create(ingress);
  for (const ref of [refTo(service), refTo(ingress)]) {
    const address = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    t.like(
      await until(cluster, ref, `${ref.kind} has an address`, (found) =>
        JSON.stringify(found['status']).includes('ip'),
      ),
      address,
    );
  }
});
