import test from 'ava';
import type { KubeObject, ObjectMeta } from '../../src/objects/object.ts';
import { diagnose, problemOf } from '../../src/readiness/diagnosis.ts';
import type { RelatedObjects } from '../../src/readiness/related-objects.ts';

const revision = (value: string) => ({ 'deployment.kubernetes.io/revision': value });

function object(kind: string, name: string, metadata: Partial<ObjectMeta>, rest: object = {}): KubeObject {
  return { apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1', kind, metadata: { name, uid: name, ...metadata }, ...rest };
}

function ownedBy(kind: string, owner: string): Partial<ObjectMeta> {
  return { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: owner, controller: true }] };
}

function waitingPod(name: string, owner: Partial<ObjectMeta>, reason: string, second = 0): KubeObject {
  const creationTimestamp = `2024-01-01T00:00:0${second}Z`;
  const containerStatuses = [{ name: 'app', ready: false, state: { waiting: { reason } } }];
  return object('Pod', name, { creationTimestamp, ...owner }, { status: { containerStatuses } });
}

const nothing: RelatedObjects = { replicaSets: [], pods: [], events: [] };
const deployment = object(
  'Deployment',
  'web',
  { generation: 2, annotations: revision('2') },
  { status: { observedGeneration: 2 } },
);
const oldSet = object('ReplicaSet', 'web-old', { ...ownedBy('Deployment', 'web'), annotations: revision('1') });
const newSet = object('ReplicaSet', 'web-new', { ...ownedBy('Deployment', 'web'), annotations: revision('2') });
const replicaSets = [oldSet, newSet];

test('looks at the pods of the current ReplicaSet of a Deployment', (t) => {
  const pods = [
    waitingPod('web-old-1', ownedBy('ReplicaSet', 'web-old'), 'CrashLoopBackOff', 9),
    waitingPod('web-new-1', ownedBy('ReplicaSet', 'web-new'), 'ErrImagePull', 1),
  ];
  t.is(diagnose(deployment, { ...nothing, replicaSets, pods }), 'ErrImagePull (container app of pod web-new-1)');
});

test('ignores pods of older ReplicaSets', (t) => {
  const pods = [waitingPod('web-old-1', ownedBy('ReplicaSet', 'web-old'), 'CrashLoopBackOff')];
  t.is(diagnose(deployment, { ...nothing, replicaSets, pods }), undefined);
});

test('ignores all pods until the controller has observed the newest spec', (t) => {
  const stale = { ...deployment, metadata: { ...deployment.metadata, generation: 3 } };
  const pods = [waitingPod('web-new-1', ownedBy('ReplicaSet', 'web-new'), 'ErrImagePull')];
  t.is(diagnose(stale, { ...nothing, replicaSets, pods }), undefined);
});

test('prefers the newest pod with a cause', (t) => {
  const owner = ownedBy('ReplicaSet', 'web-new');
  const pods = [
    waitingPod('a', owner, 'ErrImagePull', 1),
    waitingPod('b', owner, 'ImagePullBackOff', 5),
    waitingPod('c', owner, 'ContainerCreating', 9),
  ];
  t.is(diagnose(deployment, { ...nothing, replicaSets, pods }), 'ImagePullBackOff (container app of pod b)');
  t.is(diagnose(deployment, { ...nothing, replicaSets, pods: pods.slice(2) }), 'ContainerCreating (pod c)');
});

test('finds a quota error on the ReplicaSet', (t) => {
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: q' }];
  const blocked = { ...newSet, status: { conditions } };
  const related = { ...nothing, replicaSets: [oldSet, blocked] };
  t.is(diagnose(deployment, related), 'FailedCreate: exceeded quota: q');
});

test('looks at the pods of the update revision of a StatefulSet', (t) => {
  const owner = ownedBy('StatefulSet', 'db');
  const labels = (hash: string) => ({ ...owner, labels: { 'controller-revision-hash': hash } });
  const pods = [
    waitingPod('db-1', labels('old'), 'CrashLoopBackOff', 9),
    waitingPod('db-0', labels('new'), 'ErrImagePull'),
  ];
  const statefulSet = object('StatefulSet', 'db', {}, { status: { updateRevision: 'new' } });
  t.is(diagnose(statefulSet, { ...nothing, pods }), 'ErrImagePull (container app of pod db-0)');
});

test('ignores the pods of a StatefulSet and a DaemonSet until the controller has observed the newest spec', (t) => {
  for (const kind of ['StatefulSet', 'DaemonSet']) {
    const pods = [waitingPod('x-0', ownedBy(kind, 'x'), 'InvalidImageName')];
    const workload = object(kind, 'x', { generation: 2 }, { status: { observedGeneration: 1 } });
    t.is(diagnose(workload, { ...nothing, pods }), undefined, kind);
  }
});

test('looks at the pods of the current template of a DaemonSet, even if older ones are newer', (t) => {
  const owner = ownedBy('DaemonSet', 'log');
  const labels = (generation: string) => ({ ...owner, labels: { 'pod-template-generation': generation } });
  const pods = [
    waitingPod('log-a', labels('1'), 'InvalidImageName', 9),
    waitingPod('log-b', labels('2'), 'ErrImagePull', 1),
  ];
  const annotations = { 'deprecated.daemonset.template.generation': '2' };
  t.is(
    diagnose(object('DaemonSet', 'log', { annotations }), { ...nothing, pods }),
    'ErrImagePull (container app of pod log-b)',
  );
});

test('names an old pod that blocks the update of a StatefulSet', (t) => {
  const owner = ownedBy('StatefulSet', 'db');
  const pods = [waitingPod('db-0', { ...owner, labels: { 'controller-revision-hash': 'old' } }, 'ErrImagePull')];
  const statefulSet = object('StatefulSet', 'db', {}, { status: { updateRevision: 'new' } });
  t.like(problemOf(statefulSet, { ...nothing, pods }), {
    code: 'update_blocked',
    text: 'a pod of the revision before is not ready: ErrImagePull (container app of pod db-0)',
  });
});

test('gives the failure of a volume of a PersistentVolumeClaim', (t) => {
  const fields = {
    type: 'Warning',
    reason: 'ProvisioningFailed',
    message: 'no class',
    involvedObject: { uid: 'data' },
  };
  const claim = object('PersistentVolumeClaim', 'data', {}, { status: { phase: 'Pending' } });
  t.like(problemOf(claim, { ...nothing, events: [object('Event', 'e', {}, fields)] }), {
    code: 'volume_not_provisioned',
    text: 'ProvisioningFailed: no class',
  });
});

test('looks at the pods of the newest revision of a DaemonSet', (t) => {
  const owner = ownedBy('DaemonSet', 'log');
  const labels = (hash: string) => ({ ...owner, labels: { 'controller-revision-hash': hash } });
  const ready = object(
    'Pod',
    'log-b',
    { ...labels('new'), creationTimestamp: '2024-01-01T00:00:09Z' },
    { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  );
  const old = waitingPod('log-a', labels('old'), 'CrashLoopBackOff');
  t.is(diagnose(object('DaemonSet', 'log', {}), { ...nothing, pods: [old, ready] }), undefined);
});

test('gives the problem of the newest pod of a failed Job, and its condition', (t) => {
  const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' }];
  const job = object('Job', 'load', {}, { status: { conditions } });
  const pods = [waitingPod('load-1', ownedBy('Job', 'load'), 'InvalidImageName')];
  t.is(
    diagnose(job, { ...nothing, pods }),
    'InvalidImageName (container app of pod load-1); DeadlineExceeded: too long',
  );
  t.is(diagnose(job, nothing), 'DeadlineExceeded: too long');
});

test('finds the event of a controller that cannot create pods', (t) => {
  const event = object(
    'Event',
    'e',
    {},
    { type: 'Warning', reason: 'FailedCreate', message: 'denied', involvedObject: { uid: 'db' } },
  );
  t.is(diagnose(object('StatefulSet', 'db', {}), { ...nothing, events: [event] }), 'FailedCreate: denied');
});

test('looks at a pod without an owner', (t) => {
  t.is(diagnose(waitingPod('solo', {}, 'ErrImagePull'), nothing), 'ErrImagePull (container app of pod solo)');
});

test('truncates a long message', (t) => {
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'x'.repeat(5000) }];
  const reason = diagnose({ ...deployment, status: { conditions } }, nothing);
  t.is(reason?.length, 1001);
});
