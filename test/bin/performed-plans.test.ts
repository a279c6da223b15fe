import test from 'ava';
import { eventually } from '../api/environment.ts';
import { packedApp } from './support/archive.ts';
import { agentId, answerOf, failureOf, startWorld } from './support/world.ts';

const starting = startWorld({ journal: 'cluster' });
test.after.always(async () => (await starting).close());

const template =
  'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: "{{ .Values.key }}"}\n{{ .Values.more }}';

test('a plan is deleted when it was performed, and when it is out of date', async (t) => {
  const { plane, cluster } = await starting;
  const chartArchive = (await packedApp({ 's.yaml': template })).toString('base64');
  const name = { releaseName: 'web', namespace: 'shop', chartName: 'app', chartArchive, createNamespace: true };
  const plans = async () => {
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace: cluster.namespace, metadataOnly: true };
    return (await cluster.list({ ...secrets, labelSelector: 'helm-agent/plan' })).length;
  };
  await answerOf(plane.install(agentId, { ...name, values: { key: 'one' } }));
  const stale = await answerOf(plane.plan(agentId, { ...name, action: 'upgrade', values: { key: 'two' } }));
  const good = await answerOf(plane.plan(agentId, { ...name, action: 'upgrade', values: { key: 'three' } }));
  t.is(await plans(), 2);
  const key = 'performed-once';
  const first = plane.send(agentId, { key, type: 'apply_plan', payload: { plan: good.plan } });
  t.like(await first.result, { ok: true, release: { version: 2 } });
  t.true(await eventually('one plan is left', 20, async () => (await plans()) === 1 || undefined));
  const again = await failureOf(plane.applyPlan(agentId, { plan: good.plan }));
  t.is(again.code, 'plan_not_found');
  t.regex(again.message, /deleted once they were performed/);
  t.is((await failureOf(plane.applyPlan(agentId, { plan: stale.plan }))).code, 'plan_stale');
  t.is((await failureOf(plane.applyPlan(agentId, { plan: stale.plan }))).code, 'plan_not_found');
});
