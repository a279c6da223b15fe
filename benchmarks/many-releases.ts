// Installs many releases of a small chart through one agent at its default concurrency, on a real
// cluster, and prints the time and the memory.
//   npm run -s bench:many -- --kubeconfig FILE [--releases N]
// Creates the namespace bench-many-PID, and deletes it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import { writeCharts } from './bench-chart.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';

const { values: flags } = parseArgs({
  options: { kubeconfig: { type: 'string' }, releases: { type: 'string', default: '1000' } },
});
if (flags.kubeconfig === undefined) {
  console.error('usage: npm run -s bench:many -- --kubeconfig FILE [--releases N]');
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const count = Number(flags.releases);
const namespace = `bench-many-${process.pid}`;
const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
const folder = await mkdtemp(join(tmpdir(), 'bench-many-'));
const cluster = connectCluster({ file: kubeconfig });
try {
  const charts = join(folder, 'charts');
  await writeCharts(charts);
  await cluster.create(object);
  const agent = await startImageAgent(await buildBundle(folder), kubeconfig, charts);
  const payloads = Array.from({ length: count }, (_, index) => ({
    releaseName: `many-${index}`,
    namespace,
    chartName: 'small',
    createNamespace: false,
  }));
  const started = performance.now();
  await Promise.all(payloads.map((payload) => agent.perform('install_release', payload)));
  const seconds = (performance.now() - started) / 1000;
  const { peak } = await agent.memory();
  const cpu = (await agent.cpuMs()) / 1000;
  console.log(
    `${count} releases: ${seconds.toFixed(1)} s, peak memory ${peak.toFixed(0)} MiB, processor time ${cpu.toFixed(1)} s`,
  );
  await agent.close();
} finally {
  await cluster.delete({ ...object, name: namespace });
  await cluster.close();
  await rm(folder, { recursive: true });
}
