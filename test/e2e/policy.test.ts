import { mkdtempSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { CommandResult } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { useHarness } from './harness.ts';
import { caseCharts, casePolicy, policyCases, secondVersion } from './policy-cases.ts';
import { kubeconfigText } from './real-cluster.ts';
import { writeChart } from './written-chart.ts';

const namespace = uniqueName('e2e-policy');
const other = `${namespace}-other`;
const folder = mkdtempSync(join(tmpdir(), 'e2e-policy-'));
const charts = join(folder, 'charts');
const file = join(folder, 'policy.yaml');

const policyText = (names?: string[]) => casePolicy(namespace, names);
writeFileSync(file, policyText());

/** Replaces the file as a kubelet does it: at once. */
async function changePolicy(text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

const cluster = connectCluster({ text: kubeconfigText() });
const harness = useHarness(() => ({
  kubeconfig: kubeconfigText(),
  localCharts: charts,
  arguments: ['--policy-file', file],
}));

test.before('charts and namespaces', async () => {
  for (const [name, manifest] of Object.entries(caseCharts(other))) await writeChart(charts, name, { manifest });
  const files = { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 2.0.0\n' };
  await writeChart(charts, 'plain-2', { manifest: secondVersion, files });
  for (const name of [namespace, other]) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
});

test.after.always('charts and namespaces', async () => {
  for (const name of [namespace, other]) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  await cluster.close();
  await rm(folder, { recursive: true });
});

test.after('no object was created in the other namespace', async (t) => {
  const found = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: other });
  t.false(found.some(({ metadata }) => metadata.name === 'x'));
});

const minutes = 60_000;

for (const { field, title, send, refusal, code = 'denied_by_policy' } of policyCases) {
  test(`${field}: ${title}`, async (t) => {
    t.timeout(5 * minutes);
    const command = await send({ ...harness(), namespace, other });
    const result: CommandResult = await command.result;
    if (refusal === undefined) {
      t.true(result.ok, result.ok ? '' : result.error.message);
    } else {
      t.false(result.ok);
      if (result.ok) return;
      t.is(result.error.code, code, result.error.message);
      t.regex(result.error.message, refusal);
    }
  });
}

test.serial(
  'a policy that changes counts at once, and a wrong one refuses commands and says where it is wrong',
  async (t) => {
    t.timeout(5 * minutes);
    const { plane, agentId } = harness();
    const fields = { namespace, chartName: 'workload', wait: false, createNamespace: false };
    const outcomeOf = async (release: string) => {
      const result = await plane.install(agentId, { ...fields, releaseName: release }).result;
      return result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`;
    };
    try {
      t.is(await outcomeOf('kinds-u'), 'ok');
      await changePolicy(`paused: audit until Friday\n${policyText()}`);
      t.regex(await outcomeOf('kinds-p'), /^denied_by_policy: the policy is paused: audit until Friday/);
      const shown = await harness().plane.status(harness().agentId, { namespace, releaseName: 'kinds-u' }).result;
      t.true(shown.ok, 'commands that read are performed');
      await changePolicy(policyText(['deny']));
      t.regex(await outcomeOf('kinds-v'), /^denied_by_policy: no rule/);
      await changePolicy(policyText().replace("'object.kind", "'objekt.kind").replace('"object.kind', '"objekt.kind'));
      t.regex(
        await outcomeOf('kinds-w'),
        /^policy_invalid: .*rules\[16\]\.conditions\[0\]\.expression of the rule object: 1:1: objekt/,
      );
      await changePolicy(policyText().replace('kinds:', 'kind:'));
      t.regex(await outcomeOf('kinds-x'), /^policy_invalid: .*rules\[5\]: .*kind/);
      await changePolicy(policyText());
      t.is(await outcomeOf('kinds-y'), 'ok');
    } finally {
      await changePolicy(policyText());
    }
  },
);
