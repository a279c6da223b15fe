import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { refusalOf } from '../../src/readiness/refusal.ts';

const quota = 'pods "db-0" is forbidden: exceeded quota: q, requested: cpu=1, used: cpu=4, limited: cpu=4';

function statefulSet(specTime = '2024-01-01T00:00:00Z'): KubeObject {
  const managedFields = [
    { manager: 'helm', time: specTime },
    { manager: 'kube-controller-manager', subresource: 'status', time: '2024-01-01T01:00:00Z' },
  ];
  const metadata = { name: 'db', uid: 'db', creationTimestamp: '2024-01-01T00:00:00Z', managedFields };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata };
}

function refused(message: string, lastTimestamp = '2024-01-01T00:00:05Z'): KubeObject {
  const event = { type: 'Warning', reason: 'FailedCreate', message, lastTimestamp, count: 3 };
  return { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: { uid: 'db' }, ...event };
}

function pod(metadata: object): KubeObject {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'db' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'db-1', ownerReferences, ...metadata } };
}

const rows: [message: string, code: string][] = [
  [quota, 'quota_exceeded'],
  ['pods "db-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true', 'pod_security'],
  ['pods "db-0" is forbidden: status unknown for quota: q, resources: cpu', 'pods_refused'],
  ['admission webhook "policy.example.com" denied the request: no', 'pods_refused'],
  ['Internal error occurred: failed calling webhook: connection refused', 'pods_refused'],
];

for (const [message, code] of rows) {
  test(`${message} is ${code}`, (t) => {
    const related = { replicaSets: [], pods: [], events: [refused(message)] };
    t.like(refusalOf(statefulSet(), related), { code, text: `FailedCreate: ${message}`, failures: 3 });
  });
}

test('a quota is not certainly exceeded while a pod is being deleted', (t) => {
  const pods = [pod({ deletionTimestamp: '2024-01-01T00:00:04Z' })];
  t.like(refusalOf(statefulSet(), { replicaSets: [], pods, events: [refused(quota)] }), { code: 'pods_refused' });
});

test('ignores a refusal before the newest spec, or before a pod was created nevertheless', (t) => {
  const events = [refused(quota)];
  t.is(refusalOf(statefulSet('2024-01-01T00:00:06Z'), { replicaSets: [], pods: [], events }), undefined);
  const pods = [pod({ creationTimestamp: '2024-01-01T00:00:06Z' })];
  t.is(refusalOf(statefulSet(), { replicaSets: [], pods, events }), undefined);
});
