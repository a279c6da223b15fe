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

const levels = (count: number): object => (count === 0 ? { end: 1 } : { a: levels(count - 1) });
const doubling = "['a','a']".repeat(20);
const long = 'x'.repeat(100_000);
const items = Array.from({ length: 3000 }, (_, index) => ({ name: `n${index}`, text: long }));

/** Paths of a few characters that select a lot, and objects on which they do. */
const expensive: Record<string, [path: string, fields: object]> = {
  'a chain of unions': [`{${doubling}}`, levels(40)],
  'a chain of wide unions': [`{${"['a','a','a','a']".repeat(12)}}`, levels(40)],
  'a union in a filter': [`{.items[?(@${"['a','a']".repeat(16)})]}`, { items: [levels(40)] }],
  'unions of slices': [`{.items${'[0:,0:]'.repeat(3)}}`, { items: [items] }],
  'the bytes of a text': ['{.text.*}', { text: long.repeat(10) }],
  'the bytes of all texts': ['{..[*]}', { text: long.repeat(10) }],
  'nested loops': [
    '{range .items[*]}{range @.items[*]}{.name}{end}{end}',
    { items: items.map((item) => ({ items: [item, item, item, item] })) },
  ],
  'the same text many times': ['{range .items[*]}{.text}{end}', { items }],
  'comparing long texts': ['{.items[?(@.text==@.text)].name}', { items }],
  'values that are nested deep': ['{..b}', levels(5000)],
  'all values of a large object': ['{..name}', { items: items.concat(items, items, items) }],
};

for (const [name, [path, fields]] of Object.entries(expensive)) {
  test(`a path that takes too many steps fails: ${name}`, (t) => {
    const readyWhen = `jsonpath=${path}`;
    const started = performance.now();
    const { status, message } = readinessOf({ ...widget(annotated(readyWhen)), ...fields }, { now: 0 });
    t.is(status, 'Failed');
    t.regex(message, /^helm-agent\/ready-when: "jsonpath=.*" (takes|reads) .*; use a path that selects less$/);
    t.true(performance.now() - started < 1000);
    const failing = { ...widget(annotated('condition=Synced', readyWhen)), ...fields };
    t.regex(readinessOf(failing, { now: 0 }).message, /^helm-agent\/failed-when: "jsonpath=/);
  });
}

test('a field of a large object is cheap to select', (t) => {
  const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${index}`, { index }]));
  const object = { ...widget(annotated('jsonpath={.status.phase}=Running'), { phase: 'Running', many }), many };
  t.is(readinessOf(object, { now: 0 }).status, 'Current');
});

test('a condition for failures that cannot be read fails, and its text is shortened', (t) => {
  const { status, message } = readinessOf(widget(annotated('condition=Synced', `x${long}`)), { now: 0 });
  t.is(status, 'Failed');
  t.regex(message, /^helm-agent\/failed-when: cannot read "xx/);
  t.true(message.length < 400);
});

const observedFor = test.macro(
  (t, ofStatus: number | undefined, ofCondition: number | undefined, expected: 'Current' | 'InProgress') => {
    const conditions = [{ type: 'Synced', status: 'True', observedGeneration: ofCondition }];
    const object = widget(annotated('condition=Synced'), { observedGeneration: ofStatus, conditions });
    t.is(readinessOf(object, { now: 0 }).status, expected);
  },
);

test('a condition is not met if its status is about an older generation', observedFor, 1, undefined, 'InProgress');
test('a condition is not met if it is about an older generation', observedFor, undefined, 1, 'InProgress');
test('a condition counts for the generation that it names, not for that of the status', observedFor, 1, 2, 'Current');
test('an old condition is not met although the status is new', observedFor, 2, 1, 'InProgress');
test('a condition that names no generation is met', observedFor, undefined, undefined, 'Current');

test('a failure that was observed for an older generation does not count', (t) => {
  const conditions = [{ type: 'Healthy', status: 'False', observedGeneration: 1 }];
  const object = widget(annotated('condition=Synced', 'condition=Healthy=False'), { conditions });
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
