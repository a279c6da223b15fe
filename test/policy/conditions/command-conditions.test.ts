import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { createCelEvaluator } from '../../../src/policy/conditions/cel.ts';
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
