import test from 'ava';
import { type ReplicaCounts, replicaCounts } from '../../src/readiness/replica-counts.ts';

const cases: [kind: string, object: { spec?: object; status?: object }, expected: ReplicaCounts | undefined][] = [
  [
    'Deployment',
    { spec: { replicas: 5 }, status: { observedGeneration: 2, updatedReplicas: 3, readyReplicas: 2 } },
    { wanted: 5, updated: 3, ready: 2 },
  ],
  [
    'Deployment',
    { status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1 } },
    { wanted: 1, updated: 0, ready: 0 },
  ],
  ['StatefulSet', { spec: { replicas: 2 }, status: { readyReplicas: 1 } }, { wanted: 2, updated: 0, ready: 1 }],
  [
    'DaemonSet',
    { status: { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberReady: 1 } },
    { wanted: 3, updated: 2, ready: 1 },
  ],
  ['ReplicaSet', { spec: { replicas: 0 }, status: {} }, { wanted: 0, ready: 0 }],
  ['Job', { spec: { completions: 4 }, status: { succeeded: 1 } }, { wanted: 4, ready: 1 }],
  ['Job', { status: {} }, { wanted: 1, ready: 0 }],
  ['ConfigMap', {}, undefined],
];
for (const [kind, object, expected] of cases) {
  test(`counts of a ${kind} ${JSON.stringify(object)}`, (t) => {
    const apiVersion = kind === 'Job' ? 'batch/v1' : kind === 'ConfigMap' ? 'v1' : 'apps/v1';
    t.deepEqual(replicaCounts({ apiVersion, kind, metadata: { name: 'web', generation: 2 }, ...object }), expected);
  });
}
