import test from 'ava';
import { readinessOf } from '../../src/readiness/readiness.ts';
import type { OwnRule } from '../../src/readiness/status.ts';

const annotated = (readyWhen: string, failedWhen?: string) => ({
  'helm-agent/ready-when': readyWhen,
  ...(failedWhen !== undefined && { 'helm-agent/failed-when': failedWhen }),
});

function widget(annotations: Record<string, string>, status: object = {}) {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', generation: 2, annotations },
    status: {
      phase: 'Running',
      replicas: 3,
      conditions: [
        { type: 'Synced', status: 'True' },
        { type: 'Healthy', status: 'False', message: 'no peers' },
      ],
      ...status,
    },
  };
}

const rows: [readyWhen: string, status: string, message: string][] = [
  ['condition=Synced', 'Current', 'condition=Synced is met'],
  ['condition=synced=true', 'Current', 'condition=synced=true is met'],
  ['condition=Healthy', 'InProgress', 'condition=Healthy is not met: no peers'],
  ['condition=Healthy=False', 'Current', 'condition=Healthy=False is met'],
  ['jsonpath={.status.phase}=Running', 'Current', 'jsonpath={.status.phase}=Running is met'],
  ['jsonpath={.status.phase}=Ready', 'InProgress', 'jsonpath={.status.phase}=Ready is not met: no peers'],
  ['jsonpath={.status.replicas}=3', 'Current', 'jsonpath={.status.replicas}=3 is met'],
  ['jsonpath={.status.address}', 'InProgress', 'jsonpath={.status.address} is not met: no peers'],
  [
    'jsonpath={.status.conditions[?(@.type=="Synced")].status}=True',
    'Current',
    'jsonpath={.status.conditions[?(@.type=="Synced")].status}=True is met',
  ],
  ['ready', 'Failed', 'helm-agent/ready-when: cannot read "ready"'],
  ['jsonpath={..a..b}', 'Failed', 'helm-agent/ready-when: cannot read "jsonpath={..a..b}"'],
  ['jsonpath={.a', 'Failed', 'helm-agent/ready-when: cannot read "jsonpath={.a"'],
];

for (const [readyWhen, status, message] of rows) {
  test(`a resource that is ready when ${readyWhen} is ${status}`, (t) => {
    t.deepEqual({ ...readinessOf(widget(annotated(readyWhen)), { now: 0 }) }, { status, message } as never);
  });
}

test('a condition that was observed for an older generation is not met', (t) => {
  const object = widget(annotated('condition=Synced'), { observedGeneration: 1 });
  t.is(readinessOf(object, { now: 0 }).status, 'InProgress');
});

test('a resource has failed when its condition for that is met', (t) => {
  const object = widget(annotated('condition=Synced', 'condition=Healthy=False'));
  t.like(readinessOf(object, { now: 0 }), { status: 'Failed', message: 'condition=Healthy=False is met: no peers' });
});

test('a rule of the command counts for its kind and name, under annotations', (t) => {
  const status = (rule: Partial<OwnRule>, annotations = {}) =>
    readinessOf(widget(annotations), { now: 0, rules: [{ kind: 'Widget', readyWhen: 'condition=Healthy', ...rule }] })
      .status;
  t.is(status({}), 'InProgress');
  t.is(status({ kind: 'example.com/Widget', name: 'w' }), 'InProgress');
  t.is(status({ kind: 'other.com/Widget' }), 'Current');
  t.is(status({ name: 'other' }), 'Current');
  t.is(status({}, annotated('condition=Synced')), 'Current');
});
