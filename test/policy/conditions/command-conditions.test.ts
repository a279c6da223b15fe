import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { createCelEvaluator } from '../../../src/policy/conditions/cel.ts';
import { createPassed } from '../../../src/policy/conditions/command-conditions.ts';
import type { ConditionEvaluator } from '../../../src/policy/conditions/condition.ts';
import { limitedCluster } from '../../../src/policy/limited-cluster.ts';
import { openPolicyFile } from '../../../src/policy/policy-file.ts';
import type { PolicyScope } from '../../../src/policy/policy-scope.ts';

const scope: PolicyScope = {
  ...{ type: 'install_release', right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: 'ci' },
  ...{ changes: true, chart: undefined, payload: { releaseName: 'web', atomic: true } },
};
const chart = { reference: 'oci://registry.example.com/web', hasDigest: true, hasDownloads: false };

function evaluatorHere(): ConditionEvaluator {
  const cel = createCelEvaluator();
  return {
    compile: (...given) => Promise.resolve(cel.compile(...given)),
    evaluate: (...given) => Promise.resolve(cel.evaluate(...given)),
    evaluateObjects: (...given) => Promise.resolve(cel.evaluateObjects(...given)),
  };
}

async function policyWith(t: ExecutionContext, expression: string, changes: Partial<ConditionEvaluator> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'conditions-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'policy.yaml');
  const conditions = JSON.stringify([{ expression: 'true' }, { expression, message: 'ask platform' }]);
  await writeFile(
    path,
    `rules:\n  - { name: first, namespaces: [x] }\n  - { name: shop, conditions: ${conditions} }\ndefault: deny\n`,
  );
  const noon = Date.parse('2026-03-04T12:00:00Z');
  const clusterTime = () => ({ earliest: noon, latest: noon });
  return await openPolicyFile(path, { evaluator: { ...evaluatorHere(), ...changes }, clusterTime });
}

const refusal = { code: 'denied_by_policy', message: /^rule shop of the policy .*: conditions\[1\]: ask platform/ };

const commands = test.macro(async (t, expression: string, isAllowed: boolean, changes: Partial<PolicyScope> = {}) => {
  const policy = await policyWith(t, expression);
  const decision = policy.decide({ ...scope, ...changes }, 'begins');
  if (isAllowed) await t.notThrowsAsync(decision);
  else await t.throwsAsync(decision, refusal);
});

test('a condition on the caller that holds', commands, "caller == 'ci'", true);
test('a condition on the caller that does not hold', commands, "caller != 'ci'", false);
test('a command without a caller has an empty one', commands, "caller == ''", true, { sentBy: undefined });
test('a condition on a field of the command', commands, '!command.payload.atomic', false);
test('a condition on a field that the command does not have', commands, 'command.payload.force', false);
test('a condition on the release', commands, "release.name == 'web' && release.namespace == 'shop'", true);
test('a condition on the time', commands, 'now.getHours() < 9', false);
test('a condition on the chart is kept for its load', commands, 'chart.version == "1.0.0"', true, { chart });
test('a command without a chart has none', commands, 'chart == null', true);
test('a command without a chart fails a condition on it', commands, 'chart.version != ""', false);

test('manifests are compared at once, because no chart is loaded', async (t) => {
  const policy = await policyWith(t, "chart.reference != 'manifests:'");
  const given = { ...scope, chart: { ...chart, reference: 'manifests:' } };
  await t.throwsAsync(policy.decide(given, 'begins'), refusal);
});

for (const field of ['chartArchive', 'chartProvenance', 'manifests']) {
  const payload = { releaseName: 'web', [field]: 'aGk=' };
  test(`a condition sees that a command has ${field}`, commands, `has(command.payload.${field})`, true, { payload });
  test(`a condition refuses ${field}`, commands, `!has(command.payload.${field})`, false, { payload });
  test(`a condition sees that a command has no ${field}`, commands, `!has(command.payload.${field})`, true);
  test(`a condition does not see ${field}`, commands, `command.payload.${field} == ''`, true, { payload });
}

test('a loaded chart is compared with its version', async (t) => {
  const { conditions } = await (
    await policyWith(t, "chart.version.startsWith('1.')")
  ).decide({ ...scope, chart }, 'begins');
  await t.notThrowsAsync(async () => await conditions?.requireChart({ reference: chart, version: '1.2.3' }));
  await t.throwsAsync(async () => await conditions?.requireChart({ reference: chart, version: '2.0.0' }), refusal);
});

test('a command that is continued is not compared with the time again, and with all else', async (t) => {
  const late = await policyWith(t, 'now.getHours() < 9');
  await t.notThrowsAsync(late.decide(scope, 'continued'));
  const caller = await policyWith(t, "caller == 'other'");
  await t.throwsAsync(caller.decide(scope, 'continued'), refusal);
});

test('a wrong condition names its rule and its place, and the file is refused', async (t) => {
  await t.throwsAsync(policyWith(t, "caller ==\n 'ci' &&"), {
    code: 'policy_invalid',
    message: /rules\[1\]\.conditions\[1\]\.expression of the rule shop: 2:\d+: /,
  });
  await t.throwsAsync(policyWith(t, 'namespaces == 1'), {
    message: /shop: 1:1: namespaces is not a variable; .*release/,
  });
});

test('a condition that takes too long refuses', async (t) => {
  const evaluate = () => Promise.reject(Object.assign(new Error('took too long'), { code: 'render_limit' }));
  const policy = await policyWith(t, "caller == 'ci'", { evaluate });
  await t.throwsAsync(policy.decide(scope, 'begins'), { code: 'denied_by_policy', message: /too much time or memory/ });
});

test('objects are compared at once, and again only if they have changed', async (t) => {
  const sent: number[] = [];
  const cel = evaluatorHere();
  const evaluateObjects: ConditionEvaluator['evaluateObjects'] = (expressions, values, objects) => {
    sent.push(objects.length);
    return cel.evaluateObjects(expressions, values, objects);
  };
  const policy = await policyWith(t, 'object.spec.replicas <= 5', { evaluateObjects });
  const { conditions } = await policy.decide(scope, 'begins');
  const [small, other] = [object(2), object(3)];
  await conditions?.requireObjects([small, other]);
  await conditions?.requireObjects([small]);
  await conditions?.requireObjects([object(3)]);
  t.deepEqual(sent, [2]);
  other.spec = { replicas: 6 };
  await t.throwsAsync(async () => await conditions?.requireObjects([other]), refusal);
  await t.throwsAsync(async () => await conditions?.requireObjects([small, other]), refusal, 'a refusal is not kept');
  const next = await policy.decide(scope, 'begins');
  await next.conditions?.requireObjects([small]);
  t.deepEqual(sent, [2, 1, 1], 'what has passed in an earlier command is not sent again');
  await t.throwsAsync(async () => await next.conditions?.requireObjects([small, other]), refusal);
  t.deepEqual(sent, [2, 1, 1, 1]);
});

/** Returns a policy with a condition, and the numbers of its evaluations. */
async function counted(t: ExecutionContext, expression: string) {
  const count = { evaluate: 0, evaluateObjects: 0 };
  const cel = evaluatorHere();
  const policy = await policyWith(t, expression, {
    evaluate: (...given) => (count.evaluate++, cel.evaluate(...given)),
    evaluateObjects: (...given) => (count.evaluateObjects++, cel.evaluateObjects(...given)),
  });
  return { policy, count };
}

test('a condition that has held is evaluated again only for other values', async (t) => {
  const { policy, count } = await counted(t, "caller == 'ci' || caller.startsWith('ci-')");
  await policy.decide(scope, 'begins');
  const first = count.evaluate;
  await policy.decide({ ...scope, namespace: 'other', payload: { releaseName: 'db' } }, 'begins');
  t.is(count.evaluate, first, 'it does not read what differs');
  await policy.decide({ ...scope, sentBy: 'ci-2' }, 'begins');
  t.true(count.evaluate > first);
  for (const attempt of [1, 2]) {
    const before = count.evaluate;
    await t.throwsAsync(policy.decide({ ...scope, sentBy: 'eve' }, 'begins'), refusal, `attempt ${attempt}`);
    t.true(count.evaluate > before, 'a refusal is not kept');
  }
});

test('a condition on objects is evaluated again if it reads another field of the command', async (t) => {
  const { policy, count } = await counted(t, "object.spec.replicas <= 5 || release.name == 'web'");
  const { conditions } = await policy.decide(scope, 'begins');
  await conditions?.requireObjects([object(9)]);
  const other = await policy.decide({ ...scope, releaseName: 'db' }, 'begins');
  await t.throwsAsync(async () => await other.conditions?.requireObjects([object(9)]), refusal);
  t.is(count.evaluateObjects, 2);
});

test('a condition on the time is evaluated for each command', async (t) => {
  const { policy, count } = await counted(t, 'now.getHours() < 23');
  await policy.decide(scope, 'begins');
  const first = count.evaluate;
  await policy.decide(scope, 'begins');
  t.is(count.evaluate, 2 * first);
  const onObjects = await counted(t, 'now.getHours() < 23 && object.spec.replicas <= 5');
  for (const expected of [1, 2]) {
    const { conditions } = await onObjects.policy.decide(scope, 'begins');
    await conditions?.requireObjects([object(1)]);
    t.is(onObjects.count.evaluateObjects, expected);
  }
});

test('conditions of another chart or version are evaluated again', async (t) => {
  const { policy } = await counted(t, "chart.version.startsWith('1.')");
  for (const version of ['1.2.3', '2.0.0', '1.2.3']) {
    const { conditions } = await policy.decide({ ...scope, chart }, 'begins');
    const outcome = async () => await conditions?.requireChart({ reference: chart, version });
    if (version.startsWith('1.')) await t.notThrowsAsync(outcome);
    else await t.throwsAsync(outcome, refusal);
  }
});

test('what has held is forgotten with the oldest first', (t) => {
  const passed = createPassed(2);
  for (const key of ['a', 'b', 'b', 'c']) passed.add(key);
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => passed.has(key)),
    [false, true, true],
  );
});

test('many and large objects are sent in parts', async (t) => {
  const sent: number[] = [];
  const cel = evaluatorHere();
  const evaluateObjects: ConditionEvaluator['evaluateObjects'] = (expressions, values, objects) => {
    sent.push(objects.length);
    return cel.evaluateObjects(expressions, values, objects);
  };
  const { conditions } = await (
    await policyWith(t, 'has(object.data) || object.spec.replicas <= 500', { evaluateObjects })
  ).decide(scope, 'begins');
  await conditions?.requireObjects(Array.from({ length: 250 }, (_, index) => object(index)));
  const large = [1, 2].map((index) => ({ ...object(index), data: 'a'.repeat(200_000) }));
  await conditions?.requireObjects([...large, object(400)]);
  t.deepEqual(sent, [100, 100, 50, 1, 2]);
});

test('only what the conditions read is sent', async (t) => {
  const sent: unknown[] = [];
  const cel = evaluatorHere();
  const policy = await policyWith(t, "object.spec.replicas <= 5 && release.name == 'web' && command.type != ''", {
    evaluateObjects(expressions, values, objects) {
      sent.push(values, ...objects);
      return cel.evaluateObjects(expressions, values, objects);
    },
  });
  const { conditions } = await policy.decide({ ...scope, payload: { values: 'a'.repeat(1_000_000) } }, 'begins');
  await conditions?.requireObjects([object(1), { ...object(1), data: 'b' }]);
  const { metadata, ...rest } = object(1);
  await conditions?.requireObjects([{ ...rest, metadata: { ...metadata, uid: 'c' } }]);
  const [values, ...objects] = sent;
  t.deepEqual(objects, ['{"spec":{"replicas":1}}'], 'what differs only in other fields is not sent again');
  t.deepEqual(values, {
    ...{ command: { type: 'install_release' }, caller: null, release: { name: 'web' } },
    ...{ chart: null, object: null, now: Date.parse('2026-03-04T12:00:00Z') },
  });
});

test('a condition that reads the uid is compared again with it', async (t) => {
  const policy = await policyWith(t, '!has(object.metadata.uid)');
  const { conditions } = await policy.decide(scope, 'begins');
  const { metadata, ...rest } = object(1);
  await conditions?.requireObjects([object(1)]);
  const withUid = { ...rest, metadata: { ...metadata, uid: 'c' } };
  await t.throwsAsync(async () => await conditions?.requireObjects([withUid]), refusal);
});

test('objects that take too long together are compared one by one, until one does', async (t) => {
  const sent: number[] = [];
  const tooLong = Object.assign(new Error('took too long'), { code: 'render_limit' });
  const cel = evaluatorHere();
  const evaluateObjects: ConditionEvaluator['evaluateObjects'] = (expressions, values, objects) => {
    sent.push(objects.length);
    const isSlow = objects.length > 1 || objects[0]?.includes('"replicas":4') === true;
    return isSlow ? Promise.reject(tooLong) : cel.evaluateObjects(expressions, values, objects);
  };
  const policy = await policyWith(t, 'object.spec.replicas <= 5', { evaluateObjects });
  const { conditions } = await policy.decide(scope, 'begins');
  await conditions?.requireObjects([object(1), object(2)]);
  t.deepEqual(sent, [2, 1, 1]);
  const slow = async () => await conditions?.requireObjects([object(3), object(4), object(5)]);
  await t.throwsAsync(slow, { code: 'denied_by_policy', message: /too much time or memory/ });
  t.deepEqual(sent, [2, 1, 1, 3, 1, 1], 'those after it are not tried');
});

const object = (replicas: number): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } },
  spec: { replicas },
});

test('each write is compared, and a patch by the object that it makes', async (t) => {
  const sent: string[] = [];
  const write = (name: string) => (given: unknown, options?: { dryRun?: boolean }) => {
    sent.push(options?.dryRun === true ? `dry ${name}` : name);
    return Promise.resolve(
      name === 'mergePatch' ? object((given as { name: string }).name === 'big' ? 9 : 2) : object(2),
    );
  };
  const patch = (ref: unknown, _: unknown, options?: { dryRun?: boolean }) => write('mergePatch')(ref, options);
  const methods = { create: write('create'), apply: write('apply'), replace: write('replace') };
  const whole = { ...methods, mergePatch: patch, delete: () => Promise.resolve(true) };
  const { conditions, ...limits } = await (await policyWith(t, 'object.spec.replicas <= 5')).decide(scope, 'begins');
  const cluster = limitedCluster(whole as unknown as Cluster, { ...limits, conditions }); // no other method is called
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' };
  await cluster.create(object(5));
  await cluster.apply(object(1), { fieldManager: 'helm' });
  await cluster.mergePatch({ ...ref, name: 'small' }, { metadata: {} });
  await cluster.delete({ ...ref, name: 'big' });
  t.deepEqual(sent, ['create', 'apply', 'dry mergePatch', 'mergePatch']);
  sent.length = 0;
  await t.throwsAsync(cluster.create(object(6)), refusal);
  await t.throwsAsync(cluster.replace(object(6)), refusal);
  await t.throwsAsync(cluster.apply(object(6), { fieldManager: 'helm' }), refusal);
  await t.throwsAsync(cluster.mergePatch({ ...ref, name: 'big' }, { spec: { replicas: 9 } }), refusal);
  t.deepEqual(sent, ['dry mergePatch']);
});

test('objects with integers that a number would round are compared by their digits', async (t) => {
  const { conditions } = await (await policyWith(t, 'object.limit <= 9007199254740993')).decide(scope, 'begins');
  await t.notThrowsAsync(async () => conditions?.requireObjects([{ limit: 9_007_199_254_740_993n }]));
  await t.throwsAsync(async () => conditions?.requireObjects([{ limit: 9_007_199_254_740_994n }]), refusal);
});

const managedFields = [{ manager: 'helm', operation: 'Apply' }];

const managers = test.macro({
  exec: async (t, patch: object, isCompared: boolean) => {
    const sent: string[] = [];
    const mergePatch = (_: unknown, __: unknown, options?: { dryRun?: boolean }) => {
      sent.push(options?.dryRun === true ? 'dry' : 'patch');
      return Promise.resolve(object(9));
    };
    const limits = await (await policyWith(t, 'object.spec.replicas <= 5')).decide(scope, 'begins');
    const cluster = limitedCluster({ mergePatch } as unknown as Cluster, limits); // no other method is called
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
    const patched = cluster.mergePatch(ref, { ...patch });
    if (isCompared) await t.throwsAsync(patched, refusal);
    else await patched;
    t.deepEqual(sent, [isCompared ? 'dry' : 'patch']);
  },
  title: (_, patch: object, isCompared) =>
    `${JSON.stringify(patch)} is ${isCompared ? 'compared' : 'not compared, because the object keeps its values'}`,
});

test(managers, { metadata: { managedFields } }, false);
test(managers, { metadata: { managedFields, resourceVersion: '1', uid: 'u' } }, false);
test(managers, { metadata: { managedFields, labels: {} } }, true);
test(managers, { metadata: { managedFields }, spec: { replicas: 9 } }, true);
test(managers, { metadata: { managedFields }, spec: null }, true);
test(managers, { metadata: {} }, true);
test(managers, { metadata: null }, true);
test(managers, { spec: { replicas: 9 } }, true);
test(managers, {}, true);

test('a patch is sent once if no condition reads objects', async (t) => {
  const sent: string[] = [];
  const mergePatch = (_: unknown, __: unknown, options?: { dryRun?: boolean }) => {
    sent.push(options?.dryRun === true ? 'dry' : 'patch');
    return Promise.resolve(object(1));
  };
  for (const expression of ['command.type != "a"', 'chart == null || chart.version != "2.0.0"']) {
    const limits = await (await policyWith(t, expression)).decide(scope, 'begins');
    const cluster = limitedCluster({ mergePatch } as unknown as Cluster, limits); // no other method is called
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
    await cluster.mergePatch(ref, { metadata: {} });
  }
  t.deepEqual(sent, ['patch', 'patch']);
});
