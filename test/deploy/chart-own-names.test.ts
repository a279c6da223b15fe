import test from 'ava';
import { agentValues, deployCharts, render } from '../support/deploy-charts.ts';

const settings = ['CONTROL_PLANE', 'AGENT_ID', 'INSECURE_TRANSPORT', 'LEADER_ELECT', 'LOG_LEVEL'];
const selector = ['name', 'instance'].map((name) => `app.kubernetes.io/${name}`);
const podLabels = [...selector, 'app.kubernetes.io/component'];
const labels = [...selector, 'app.kubernetes.io/version', 'app.kubernetes.io/managed-by', 'helm.sh/chart'];
const nested = (path: string, value: unknown) =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>; // a path has a key

for (const chart of deployCharts) {
  const ofAgent = chart === 'helm-agent';
  const base = { ...(ofAgent ? agentValues : {}), metrics: { serviceMonitor: { enabled: true } } };

  for (const [path, keys] of Object.entries({
    podLabels,
    'metrics.serviceMonitor.labels': labels,
    podAnnotations: ofAgent ? ['checksum/config', 'kubectl.kubernetes.io/default-container'] : [],
    settings: ofAgent ? settings.map((name) => `HELM_AGENT_${name}`) : [],
  })) {
    for (const key of keys) {
      test(`${path} of ${chart} cannot have ${key}, which the chart writes`, async (t) => {
        const own = path.startsWith('metrics.')
          ? { metrics: { serviceMonitor: { enabled: true, labels: { [key]: 'x' } } } }
          : nested(path, { [key]: 'x' });
        const transport = { controlPlane: { ...agentValues.controlPlane, insecureTransport: true } };
        const values = { ...base, ...(ofAgent ? transport : {}), ...own };
        const error = await t.throwsAsync(render(chart, values));
        t.true(error.message.includes(`${path} cannot have ${key}`), error.message);
      });
    }
  }
}

test('all settings that the chart of the agent writes are tried above', async (t) => {
  const controlPlane = { ...agentValues.controlPlane, insecureTransport: true };
  const objects = await render('helm-agent', { ...agentValues, controlPlane });
  const data = Object.keys(objects.find(({ kind }) => kind === 'ConfigMap')?.data ?? {});
  const defaults = ['HELM_AGENT_DENY_ADDRESSES', 'HELM_AGENT_TRUST_RELEASES'];
  t.deepEqual(data.sort(), [...settings.map((name) => `HELM_AGENT_${name}`), ...defaults].sort());
});

test('a setting that the chart writes is refused with the value to use', async (t) => {
  for (const [name, value] of Object.entries({
    CONTROL_PLANE: 'controlPlane.url',
    AGENT_ID: 'agentId',
    LOG_LEVEL: 'logLevel',
  })) {
    const given = { ...agentValues, settings: { [`HELM_AGENT_${name}`]: 'x' } };
    await t.throwsAsync(render('helm-agent', given), { message: new RegExp(`set ${value}`) });
  }
});

for (const chart of deployCharts) {
  test(`own names, also those that look like YAML, are in the pods of ${chart}`, async (t) => {
    const own = { a: 'b', 'example.com/c': 'true', '1': '0x1', 'y: z #': '{{ . }}' };
    const values = { ...(chart === 'helm-agent' ? agentValues : {}), podLabels: own, podAnnotations: own };
    const objects = await render(chart, values);
    const metadata = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template?.metadata;
    t.like(metadata?.labels, own);
    t.like(metadata?.annotations, own);
  });
}
