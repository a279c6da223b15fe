import { readFileSync } from 'node:fs';
import test from 'ava';
import { renderChart } from '../../src/render/index.ts';
import { agentValues, deployCharts, render, type RenderedObject } from '../support/deploy-charts.ts';

const settingsOf = (objects: readonly RenderedObject[]) => objects.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
const podOf = (objects: readonly RenderedObject[]) => objects.find(({ kind }) => kind === 'Deployment')?.spec?.template;

test('an upgrade that changes a setting of the agent restarts it, except for the level of the log', async (t) => {
  const changes: Record<string, unknown>[] = [
    { controlPlane: { url: 'wss://other.example' } },
    { controlPlane: { url: 'wss://plane.example', insecureTransport: true } },
    { agentId: 'b' },
    { settings: { HELM_AGENT_TRUST_RELEASES: 'own' } },
    { settings: { HELM_AGENT_DENY_ADDRESSES: 'loopback' } },
    { proxy: { httpsProxy: 'http://proxy.example' } },
    { proxy: { httpProxy: 'http://proxy.example' } },
    { proxy: { noProxy: '.svc' } },
    { tracing: { endpoint: 'http://collector.example:4318' } },
  ];
  const before = await render('helm-agent', agentValues);
  const changed = new Set(['HELM_AGENT_LEADER_ELECT', 'HELM_AGENT_LOG_LEVEL']);
  const all = new Set<string>();
  for (const change of changes) {
    const after = await render('helm-agent', { ...agentValues, ...change });
    t.notDeepEqual(podOf(after), podOf(before), JSON.stringify(change));
    for (const [name, value] of Object.entries(settingsOf(after))) {
      all.add(name);
      if (settingsOf(before)[name] !== value) changed.add(name);
    }
  }
  t.deepEqual([...all].sort(), [...changed].sort(), 'each setting is one that a change above is about');
  const traced = await render('helm-agent', { ...agentValues, tracing: { endpoint: 'http://a.example' } });
  const elsewhere = await render('helm-agent', { ...agentValues, tracing: { endpoint: 'http://b.example' } });
  t.notDeepEqual(podOf(traced), podOf(elsewhere));
  const leveled = await render('helm-agent', { ...agentValues, logLevel: 'debug' });
  t.notDeepEqual(settingsOf(leveled), settingsOf(before));
  t.deepEqual(podOf(leveled), podOf(before));
});

test('an upgrade that changes a setting of the control plane restarts it, except for the level of the log', async (t) => {
  const chart = 'helm-agent-control-plane';
  const before = await render(chart, {});
  t.deepEqual(Object.keys(settingsOf(before)), ['HELM_AGENT_LOG_LEVEL']);
  t.deepEqual(podOf(await render(chart, { logLevel: 'debug' })), podOf(before));
  for (const change of [
    { tokens: { agentsKey: 'other' } },
    { tls: { existingSecret: 'tls' } },
    { tracing: { endpoint: 'http://collector.example:4318' } },
    { extraArgs: ['--retry-after=10s'] },
  ]) {
    t.notDeepEqual(podOf(await render(chart, change)), podOf(before), JSON.stringify(change));
  }
});

for (const chart of deployCharts) {
  const base = chart === 'helm-agent' ? agentValues : {};

  test(`a tag of the image of ${chart} that is a number is refused, because 1.10 would be 1.1`, async (t) => {
    for (const tag of [15, 1.1, 0, -1, 1e21, true]) {
      await t.throwsAsync(render(chart, { ...base, image: { tag } }), { message: /tag.*string/s }, String(tag));
    }
    for (const tag of ['15', '1.10']) {
      const objects = await render(chart, { ...base, image: { tag } });
      t.is(podOf(objects)?.spec.containers[0]?.image, `localhost/helm-agent:${tag}`);
    }
  });
}

test('the control plane may connect to nothing by default, and its notes say so if its values need it', async (t) => {
  const notes = async (values: Record<string, unknown>) => {
    const release = { name: 'demo', namespace: 'ns' };
    return (await renderChart('deploy/helm-agent-control-plane', { release, values })).notes;
  };
  const denied = /denies the connections .* networkPolicy\.egress/;
  const tracing = { endpoint: 'http://collector.example:4318' };
  t.regex(await notes({ tracing }), denied);
  t.regex(await notes({ database: { existingSecret: 'plane' } }), denied);
  t.notRegex(await notes({}), denied);
  t.notRegex(await notes({ tracing, networkPolicy: { enabled: false } }), denied);
  t.notRegex(await notes({ tracing, networkPolicy: { egress: [{ ports: [{ port: 4318 }] }] } }), denied);
  const policy = (await render('helm-agent-control-plane', { tracing })).find(({ kind }) => kind === 'NetworkPolicy');
  t.like(policy?.spec, { policyTypes: ['Ingress', 'Egress'], egress: [] });
});

test('helm-agent.yaml, which has no hash of its settings, says how to restart the agent after a change', (t) => {
  const text = readFileSync('helm-agent.yaml', 'utf8');
  t.false(text.includes('checksum/config'));
  t.regex(text, /^# +kubectl -n helm-agent rollout restart deployment\/helm-agent$/m);
});
