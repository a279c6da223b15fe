import test from 'ava';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import { type Environment, eventually, newNamespace } from './environment.ts';
import { deployment, job } from './workload-objects.ts';

/** Time limit in seconds, enough for a real node under load. */
const patience = 90;

interface WorkloadStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  succeeded?: number;
  failed?: number;
  phase?: string;
  conditions?: { type: string; status: string; reason?: string }[];
  containerStatuses?: {
    restartCount: number;
    state: { waiting?: { reason: string; message?: string }; running?: object };
    lastState: { terminated?: { exitCode: number } };
  }[];
}

function statusOf(object: KubeObject | undefined): WorkloadStatus {
  return object?.['status'] ?? {};
}

function condition(object: KubeObject | undefined, type: string): string {
  const found = statusOf(object).conditions?.find((candidate) => candidate.type === type);
  return found ? `${found.status} ${found.reason ?? ''}`.trim() : 'absent';
}

/** Behaviour of the workload controllers. */
export function workloads(open: () => Environment): void {
  const follow = (what: string, ref: ObjectRef, holds: (object: KubeObject) => boolean): Promise<KubeObject> =>
    eventually(what, patience, async () => {
      const object = await open().cluster.get(ref);
      return object && holds(object) ? object : undefined;
    });

  const podsOf = (namespace: string, labelSelector: string): Promise<KubeObject[]> =>
    open().cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector });

  test('a Deployment becomes available through a ReplicaSet and its pods', async (t) => {
    const namespace = await newNamespace(t, open());
    const created = await open().cluster.create(deployment(namespace, 'web'));
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
    const ready = await follow('the Deployment is available', ref, (object) =>
      condition(object, 'Available').startsWith('True'),
    );
    t.is(condition(ready, 'Available'), 'True MinimumReplicasAvailable');
    t.like(statusOf(ready), { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
    await follow(
      'it has progressed',
      ref,
      (object) => condition(object, 'Progressing') === 'True NewReplicaSetAvailable',
    );
    t.is(statusOf(ready).observedGeneration, 1);
    t.is(ready.metadata.generation, 1);
    t.is(ready.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');

    const [set] = await open().cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
    t.like(set?.metadata.ownerReferences?.[0], {
      kind: 'Deployment',
      name: 'web',
      uid: created.metadata.uid,
      controller: true,
    });
    const hash = set?.metadata.labels?.['pod-template-hash'];
    t.is(set?.metadata.name, `web-${hash ?? ''}`);
    const [pod] = await podsOf(namespace, `app=web,pod-template-hash=${hash ?? ''}`);
    t.is(statusOf(pod).phase, 'Running');
    t.is(condition(pod, 'Ready'), 'True');
    t.truthy(statusOf(pod).containerStatuses?.[0]?.state.running);
  });

  test('a change of the template rolls out a new ReplicaSet and scales down the old one', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(deployment(namespace, 'web'));
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
    await follow('the first revision is available', ref, (object) => statusOf(object).availableReplicas === 1);
    await open().cluster.mergePatch(ref, { spec: { template: { metadata: { annotations: { version: '2' } } } } });
    const rolled = await follow('the second revision replaced the first', ref, (object) => {
      const { observedGeneration, replicas, updatedReplicas, availableReplicas } = statusOf(object);
      return observedGeneration === 2 && replicas === 1 && updatedReplicas === 1 && availableReplicas === 1;
    });
    t.is(rolled.metadata.annotations?.['deployment.kubernetes.io/revision'], '2');
    const sets = await open().cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
    const sizes = sets.map((set) => [
      set.metadata.annotations?.['deployment.kubernetes.io/revision'],
      (set['spec'] as { replicas: number }).replicas,
    ]);
    t.deepEqual(sizes.sort(), [
      ['1', 0],
      ['2', 1],
    ]);
  });

  test('a pod reports that its image cannot be pulled, and its Deployment remains unavailable', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(deployment(namespace, 'web', { image: 'registry.invalid/app:1' }));
    const waiting = await eventually('the pod waits for its image', patience, async () => {
      const [pod] = await podsOf(namespace, 'app=web');
      const state = statusOf(pod).containerStatuses?.[0]?.state.waiting;
      return state?.reason === 'ImagePullBackOff' ? { pod, state } : undefined;
    });
    t.regex(waiting.state.message ?? '', /^Back-off pulling image "registry\.invalid\/app:1": ErrImagePull: /);
    t.is(statusOf(waiting.pod).phase, 'Pending');
    t.is(condition(waiting.pod, 'Ready'), 'False ContainersNotReady');
    const found = await open().cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' });
    t.is(condition(found, 'Available'), 'False MinimumReplicasUnavailable');
    const events = await open().cluster.list({
      apiVersion: 'v1',
      kind: 'Event',
      namespace,
      fieldSelector: `involvedObject.name=${waiting.pod?.metadata.name ?? ''},reason=Failed`,
    });
    t.true(events.some(({ message }) => String(message).startsWith('Failed to pull image "registry.invalid/app:1": ')));
  });

  test('a container that keeps failing is in a crash loop, and its previous log is available', async (t) => {
    const namespace = await newNamespace(t, open());
    const ready = { readinessProbe: undefined };
    await open().cluster.create(deployment(namespace, 'web', { ...ready, args: ['fail'] }));
    const pod = await eventually('the container is in back-off', patience, async () => {
      const [found] = await podsOf(namespace, 'app=web');
      const waiting = statusOf(found).containerStatuses?.[0]?.state.waiting;
      return waiting?.reason === 'CrashLoopBackOff' ? found : undefined;
    });
    const status = statusOf(pod).containerStatuses?.[0];
    t.regex(status?.state.waiting?.message ?? '', /^back-off \d+s restarting failed container=app pod=/);
    t.is(status?.lastState.terminated?.exitCode, 3);
    t.true((status?.restartCount ?? 0) >= 1);
    const reference = { namespace, name: pod.metadata.name, container: 'app' };
    const log = await eventually('the log of the run before', patience, async () => {
      const text = await open().cluster.podLog(reference, { tailLines: 5, previous: true });
      // Missing for a moment while the node replaces the container.
      return text.includes('boom') ? text : undefined;
    });
    t.regex(log, /^boom: cannot reach database$/m);
    t.is(await open().cluster.podLog({ ...reference, name: 'none' }, { tailLines: 5 }), '');
  });

  test('a pod whose ConfigMap is missing waits with CreateContainerConfigError', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(deployment(namespace, 'web', { envFrom: [{ configMapRef: { name: 'absent' } }] }));
    const state = await eventually('the container cannot be configured', patience, async () => {
      const [pod] = await podsOf(namespace, 'app=web');
      const waiting = statusOf(pod).containerStatuses?.[0]?.state.waiting;
      return waiting?.reason === 'CreateContainerConfigError' ? waiting : undefined;
    });
    t.is(state.message, 'configmap "absent" not found');
  });

  test('a Job completes when its pod succeeds', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(job(namespace, 'task', ['sleep', '1s']));
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'task' };
    const done = await follow('the Job is complete', ref, (object) => condition(object, 'Complete').startsWith('True'));
    t.is(statusOf(done).succeeded, 1);
    t.is(condition(done, 'Failed'), 'absent');
    const [pod] = await podsOf(namespace, 'batch.kubernetes.io/job-name=task');
    t.is(statusOf(pod).phase, 'Succeeded');
    t.is(condition(pod, 'Ready'), 'False PodCompleted');
  });

  test('a Job fails when its pod fails more often than backoffLimit allows', async (t) => {
    const namespace = await newNamespace(t, open());
    await open().cluster.create(job(namespace, 'task', ['fail']));
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'task' };
    const failed = await follow('the Job has failed', ref, (object) => condition(object, 'Failed').startsWith('True'));
    t.is(condition(failed, 'Failed'), 'True BackoffLimitExceeded');
    t.is(statusOf(failed).failed, 1);
    t.is(condition(failed, 'Complete'), 'absent');
  });

  test('a StatefulSet numbers its pods and reports its revision', async (t) => {
    const namespace = await newNamespace(t, open());
    const { spec, ...rest } = deployment(namespace, 'db');
    await open().cluster.create({
      ...rest,
      kind: 'StatefulSet',
      spec: { ...(spec as object), replicas: 2, serviceName: 'db' },
    });
    const ref = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: 'db' };
    const ready = await follow('both pods are ready', ref, (object) => statusOf(object).readyReplicas === 2);
    const status = statusOf(ready) as WorkloadStatus & { currentRevision: string; updateRevision: string };
    t.is(status.currentRevision, status.updateRevision);
    const found = await podsOf(namespace, 'app=db');
    t.deepEqual(found.map((pod) => pod.metadata.name).sort(), ['db-0', 'db-1']);
    t.is(found[0]?.metadata.labels?.['controller-revision-hash'], status.updateRevision);
  });

  test('a DaemonSet runs a pod on the node', async (t) => {
    const namespace = await newNamespace(t, open());
    const { spec, ...rest } = deployment(namespace, 'agent');
    const { selector, template } = spec as { selector: unknown; template: unknown };
    await open().cluster.create({ ...rest, kind: 'DaemonSet', spec: { selector, template } });
    const ref = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace, name: 'agent' };
    const ready = await follow(
      'its pod is available',
      ref,
      (object) => object['status'] !== undefined && 'numberAvailable' in statusOf(object),
    );
    t.like(ready['status'], {
      desiredNumberScheduled: 1,
      currentNumberScheduled: 1,
      numberReady: 1,
      updatedNumberScheduled: 1,
    });
  });
}
