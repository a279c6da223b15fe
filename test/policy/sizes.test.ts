import test, { type ExecutionContext } from 'ava';
import { chartReferenceOf } from '../../src/policy/chart-reference.ts';
import { decide } from '../../src/policy/command-policy.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';

const scope = (payload: object = {}, type = 'install_release'): PolicyScope => ({
  ...{ type, right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: undefined, changes: true },
  ...{ chart: chartReferenceOf(payload), payload },
});

const policyOf = (sizes: string) => readPolicy(`rules:\n  - { name: shop, sizes: ${sizes} }\ndefault: deny\n`);
const decided = (sizes: string, payload: object = {}) =>
  decide(policyOf(sizes), scope(payload), { begins: new Date(0) });

function refusedWith(t: ExecutionContext, run: () => unknown, message: RegExp): void {
  t.throws(run, { code: 'denied_by_policy', message });
}

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const written = (text: string) => ({ ref, object: { data: { text } } }); // 20 bytes more than its text
const texts = (...lengths: number[]) => lengths.map((length) => written('a'.repeat(length)));

test('the number of objects is limited', (t) => {
  const policy = decided('{ objects: 2 }');
  t.notThrows(() => policy.requireObjects(texts(1000, 1000)));
  refusedWith(t, () => policy.requireObjects(texts(1, 1, 1)), /rule shop .*sizes\.objects: 3 objects, and at most 2/);
});

test('the size of an object is that of its JSON in UTF-8', (t) => {
  const policy = decided('{ object: 120 }');
  t.is(JSON.stringify(written('').object).length, 20);
  t.notThrows(() => policy.requireObjects(texts(100, 100)));
  refusedWith(t, () => policy.requireObjects(texts(1, 101)), /sizes\.object: ConfigMap web has more than 120 bytes/);
  refusedWith(t, () => policy.requireObjects([written('ä'.repeat(51))]), /sizes\.object: /);
  refusedWith(t, () => policy.requireObjects([written('\n'.repeat(51))]), /sizes\.object: /);
});

const samples = [
  ...[null, true, -1.5e300, 'a"b\u2028ä', [], {}, [[], [{}]], { a: [1, 2, 3], b: { c: null }, d: '' }],
  ...[{ apiVersion: 'v1', gone: undefined, items: ['x', { y: 1 }] }],
];
test('all kinds of JSON have their size', (t) => {
  for (const sample of samples) {
    const { length } = Buffer.from(JSON.stringify(sample));
    t.notThrows(() => decided(`{ object: ${length} }`).requireObjects([{ ref, object: sample }]));
    if (length < 2) continue;
    refusedWith(t, () => decided(`{ object: ${length - 1} }`).requireObjects([{ ref, object: sample }]), /sizes/);
  }
});

test('the sizes of all objects are added up', (t) => {
  const policy = decided('{ allObjects: 240 }');
  t.notThrows(() => policy.requireObjects(texts(100, 100)));
  refusedWith(t, () => policy.requireObjects(texts(100, 101)), /sizes\.allObjects: the objects have more than 240/);
});

test('the size of a chart is known when it is loaded', (t) => {
  const policy = decided('{ chart: 1Ki }', { chartName: 'oci://registry.example.com/web' });
  const chart = { reference: chartReferenceOf({ chartName: 'oci://registry.example.com/web' }), version: '1.0.0' };
  t.notThrows(() => policy.requireChart(chart));
  t.notThrows(() => policy.requireChart({ ...chart, bytes: 1024 }));
  refusedWith(t, () => policy.requireChart({ ...chart, bytes: 1025 }), /sizes\.chart: .* more than 1024 bytes/);
  refusedWith(t, () => policy.requireChart({ ...chart, bytes: Infinity }), /sizes\.chart/);
});

test('values are compared before anything is fetched, and those of the release when they are merged', (t) => {
  const sizes = '{ values: 100 }';
  t.notThrows(() => decided(sizes));
  t.notThrows(() => decided(sizes, { values: 'a: b', set: [{ kind: 'set', text: 'a=b' }] }));
  refusedWith(t, () => decided(sizes, { values: 'a'.repeat(101) }), /sizes\.values: the values have more than 100/);
  refusedWith(t, () => decided(sizes, { values: ['a: b', 'a'.repeat(101)] }), /sizes\.values/);
  refusedWith(t, () => decided(sizes, { set: [{ kind: 'set', text: 'a'.repeat(101) }] }), /sizes\.values/);
  refusedWith(t, () => decided(sizes, { sealedValues: ['a'.repeat(200)] }), /sizes\.values/);
  const policy = decided(sizes);
  t.notThrows(() => policy.requireValues({ a: 'b' }));
  refusedWith(t, () => policy.requireValues({ a: 'b'.repeat(100) }), /sizes\.values/);
});

test('the values of a plan are compared by the rule for its command too', (t) => {
  const policy = readPolicy(
    'rules:\n  - { name: plans, commands: [read] }\n  - { name: shop, sizes: { values: 10 } }\ndefault: deny\n',
  );
  const plan = { action: 'install', values: 'a'.repeat(50) };
  refusedWith(
    t,
    () => decide(policy, { ...scope(plan, 'plan_release'), right: 'read' }, { begins: new Date(0) }),
    /rule shop .*sizes\.values/,
  );
});

test('without a field, any size is allowed', (t) => {
  const policy = decided('{ objects: 5 }', { values: 'a'.repeat(100_000) });
  t.notThrows(() => {
    policy.requireObjects(texts(100_000));
    policy.requireChart({ bytes: Infinity });
    policy.requireValues({ a: 'b'.repeat(100_000) });
  });
});

test('huge and deep objects are read only as far as the limit', (t) => {
  let reads = 0;
  const endless = (): object => ({
    get x() {
      reads += 1;
      return endless();
    },
  });
  const policy = decided('{ object: 1Ki }');
  refusedWith(t, () => policy.requireObjects([{ ref, object: endless() }]), /sizes\.object/);
  t.true(reads < 1024);
  const wide = Array.from({ length: 1_000_000 }, () => 'aaaaaaaaaa');
  refusedWith(t, () => policy.requireObjects([{ ref, object: { wide } }]), /sizes\.object/);
});

test('an object that is written may have labels and annotations of the agent too', (t) => {
  const policy = decided('{ object: 120, objects: 1, allObjects: 1 }');
  const one = (length: number) => written('a'.repeat(length));
  t.notThrows(() => {
    policy.requireWritten(one(100 + 4096));
  });
  refusedWith(t, () => policy.requireWritten(one(101 + 4096)), /sizes\.object: ConfigMap web/);
});

const wrong = test.macro((t, sizes: string, message: RegExp) => {
  t.throws(() => policyOf(sizes), { message });
});
const size = /rules\[0\]\.sizes\.chart: must be a number of bytes, or a text such as 64Ki or 1Mi/;
test('an empty list of sizes is refused', wrong, '{}', /rules\[0\]\.sizes: must have a field/);
test('an unknown size is refused', wrong, '{ chart: 1, charts: 1 }', /rules\[0\]\.sizes: .*charts/);
for (const text of ['0', '-1', '1.5', '0Ki', '1K', '1 Mi', 'Mi', '1Gi', '999999999999Mi', 'true', 'null', '1e3Ki']) {
  test(`${text} is not a size`, wrong, `{ chart: ${text} }`, size);
}
test('a number of objects is whole', wrong, '{ objects: 1Ki }', /sizes\.objects/);
