import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readCorpusCase } from './corpus-case.ts';
import { useHarness } from './harness.ts';
import { freeNamespace } from './namespaces.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';
import { runnableObjects } from './runnable-objects.ts';
import { slots } from './scenarios/slots.ts';
import { writeChart } from './written-chart.ts';

/** Charts with several workloads of different kinds. Slow starts are among the verdict cases. */
const chartNames = [
  ...[
    'tempo-distributed',
    'scalardb',
    'dapr',
    'goldilocks',
    'gatekeeper',
    'ambient',
    'victoria-metrics-cluster',
    'longhorn',
  ],
  ...['metallb', 'kfserving', 'kuberay', 'nginx-ingress-controller', 'keda-add-ons-http', 'keda', 'horovod', 'flux'],
  ...['vertical-pod-autoscaler', 'victoriametrics', 'cert-manager', 'metricbeat', 'external-secrets', 'prometheus'],
  ...['aws-ebs-csi-driver', 'dshackle', 'scalardl', 'argo-workflows', 'vault', 'hivemq-swarm', 'wavefront', 'nats'],
  ...[
    'opentelemetry-ebpf',
    'remoulade',
    'vpa',
    'csi-driver-nfs',
    'nvidia-device-plugin',
    'clickhouse',
    'flink',
    'blockscout',
  ],
  ...['business-api-ecosystem', 'ethereum'],
];

const corpus = process.env['CORPUS'];

if (corpus) {
  const charts = await mkdtemp(join(tmpdir(), 'helm-agent-alarms-'));
  const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: charts }));
  test.after.always('charts', () => rm(charts, { recursive: true }));
  const inSlot = slots(4);
  for (const name of chartNames) {
    test(`no problem of a start ends the wait for ${name}`, (t) =>
      inSlot(async () => {
        t.timeout(240_000);
        const { plane, agentId, cluster } = harness();
        const namespace = freeNamespace(t, cluster);
        const objects = runnableObjects(readCorpusCase(corpus, name).objects, 'testns');
        const chartName = await writeChart(charts, name, {
          manifest: '{{ .Files.Get "objects.yaml" }}',
          files: { 'objects.yaml': objects.map((object) => JSON.stringify(object)).join('\n---\n') },
        });
        const request = { releaseName: 'rel', namespace, chartName, timeout: '60s' };
        const { result, outcome } = await performed(plane.install(agentId, request));
        t.log(outcome);
        t.true(['deployed', 'timeout'].includes(outcome), JSON.stringify(result));
      }));
  }
} else {
  test.skip('charts start without false alarms (needs CORPUS)', (t) => t.pass());
}
