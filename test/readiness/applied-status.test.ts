import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { type AppliedStatus, appliedStatus } from '../../src/readiness/applied-status.ts';

function object(apiVersion: string, kind: string, rest: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: 'a', namespace: 'shop', generation: 2 }, ...rest };
}

const available = {
  spec: { replicas: 0 },
  status: {
    observedGeneration: 2,
    conditions: [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ],
  },
};
const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };

const cases: [string, KubeObject, AppliedStatus][] = [
  ['a ConfigMap is steady', object('v1', 'ConfigMap'), 'steady'],
  ['a Service with a cluster IP is steady', object('v1', 'Service', { spec: { type: 'ClusterIP' } }), 'steady'],
  ['a load balancer without an address is open', object('v1', 'Service', { spec: { type: 'LoadBalancer' } }), 'open'],
  ['a new Deployment is open', object('apps/v1', 'Deployment', { spec: { replicas: 0 } }), 'open'],
  ['an unchanged Deployment is current', object('apps/v1', 'Deployment', available), 'current'],
  ['a custom resource is open even if it was ready before', object('example.com/v1', 'Widget', ready), 'open'],
  ['a kind with the name of a steady one is open', object('example.com/v1', 'Service'), 'open'],
  [
    'a ConfigMap that is being deleted is open',
    { ...object('v1', 'ConfigMap'), metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    'open',
  ],
];

test('by the strategy legacy, a load balancer without an ingress address is open', (t) => {
  const options = { now: 0, strategy: 'legacy' } as const;
  const spec = { type: 'LoadBalancer', clusterIP: '10.0.0.1' };
  t.is(appliedStatus(object('v1', 'Service', { spec }), { now: 0 }), 'steady');
  t.is(appliedStatus(object('v1', 'Service', { spec }), options), 'open');
  t.is(appliedStatus(object('v1', 'ConfigMap'), options), 'steady');
  t.is(appliedStatus(object('apps/v1', 'Deployment', available), options), 'open');
});

test('a webhook is open, because its endpoints may not be ready', (t) => {
  t.is(appliedStatus(object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'), { now: 0 }), 'open');
});

for (const [title, given, expected] of cases) {
  test(title, (t) => {
    t.is(appliedStatus(given, { now: 0 }), expected);
  });
}
