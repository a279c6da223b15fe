import { readFileSync } from 'node:fs';
import test from 'ava';
import { load } from 'js-yaml';
import type { KubeObject } from '../../src/objects/object.ts';
import type { ReadinessOptions } from '../../src/readiness/status.ts';
import { waitReadiness } from '../../src/readiness/wait-readiness.ts';

interface Row {
  title: string;
  object: KubeObject;
  replicaSets?: { name: string; owner: string; revision: string; ready?: number; generation?: number }[];
  pods?: { name: string; owner: string; ready: boolean }[];
  toCompletion?: ReadinessOptions['toCompletion'];
  expect: [status: string, message: string];
}

const ownedBy = (uid: string) => [{ apiVersion: 'v1', kind: 'Any', name: uid, uid }];

const rows = load(readFileSync(new URL('fixtures/legacy.yaml', import.meta.url), 'utf8')) as Row[];

function replicaSet({ name, owner, revision, ready, generation = 0 }: NonNullable<Row['replicaSets']>[number]) {
  const annotations = { 'deployment.kubernetes.io/revision': revision };
  const metadata = { name, uid: name, generation, annotations, ownerReferences: ownedBy(owner) };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, status: { readyReplicas: ready } };
}

function pod({ name, owner, ready }: NonNullable<Row['pods']>[number]) {
  const status = { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: name, ownerReferences: ownedBy(owner) }, status };
}

for (const { title, object, replicaSets = [], pods = [], toCompletion, expect } of rows) {
  test(`${title} is ${expect[0]} by the strategy legacy`, (t) => {
    const related = { replicaSets: replicaSets.map(replicaSet), pods: pods.map(pod), events: [] };
    const options = { now: 0, toCompletion: toCompletion ?? (['Job'] as const), strategy: 'legacy' as const };
    const { status, message } = waitReadiness(object, () => related, options);
    t.deepEqual([status, message], expect);
  });
}

test('a rule of the user takes precedence over the strategy legacy', (t) => {
  const annotations = { 'helm-agent/ready-when': 'condition=Ready' };
  const object = { apiVersion: 'e.io/v1', kind: 'Widget', metadata: { name: 'a', annotations } };
  const nothing = { replicaSets: [], pods: [], events: [] };
  t.is(waitReadiness(object, () => nothing, { now: 0, strategy: 'legacy' }).status, 'InProgress');
});
