// Measures the time from the moment the API server reports a workload ready to the result of its
// installation, with one installation at a time and with 20 at once.
//   KUBECONFIG=FILE npm run -s bench:latency [-- --single N --at-once N]
// Creates the namespaces bench-latency-*, and deletes them. Each chart is a Deployment with a
// readiness probe and a ConfigMap.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { readinessOf } from '../src/readiness/readiness.ts';
import { type Harness, openHarness } from '../test/e2e/open-harness.ts';
import { writeChart } from '../test/e2e/written-chart.ts';
import { median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: { single: { type: 'string', default: '40' }, 'at-once': { type: 'string', default: '20' } },
});
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) {
  console.error('usage: KUBECONFIG=FILE npm run -s bench:latency [-- --single N --at-once N]');
  process.exit(2);
}
const [single, atOnce] = [Number(flags.single), Number(flags['at-once'])];

function manifest(): string {
  const labels = { app: '{{ .Release.Name }}' };
  const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
  const container = { name: 'app', image: 'localhost/app:1', imagePullPolicy: 'Never', readinessProbe };
  const deployment = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: '{{ .Release.Name }}' } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
    },
  };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}' }, data: { a: '1' } };
  return [deployment, config].map((object) => dump(object)).join('---\n');
}

/** Notes when the API server first reports each Deployment of a namespace ready. */
function readyTimes({ cluster }: Harness, namespace: string, signal: AbortSignal): Map<string, number> {
  const times = new Map<string, number>();
  void (async () => {
    for await (const change of cluster.observe({ apiVersion: 'apps/v1', kind: 'Deployment', namespace }, signal)) {
      if (change.type !== 'changed' || times.has(change.object.metadata.name)) continue;
      const { status } = readinessOf(change.object, { now: Date.now() });
      if (status === 'Current') times.set(change.object.metadata.name, performance.now());
    }
  })();
  return times;
}

/** Installs a release. Returns when its result has arrived. */
async function install({ plane, agentId }: Harness, namespace: string, chartName: string, releaseName: string) {
  const { result } = plane.install(agentId, { releaseName, namespace, chartName, createNamespace: false });
  const outcome = await result;
  const time = performance.now();
  if (!outcome.ok) throw new Error(`${releaseName}: ${outcome.error.message}`);
  return time;
}

/** Calls `run` with a new namespace. */
async function inNamespace<T>({ cluster }: Harness, name: string, run: () => Promise<T>): Promise<T> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await cluster.create(object);
  try {
    return await run();
  } finally {
    await cluster.delete({ ...object, name });
  }
}

async function latencies(harness: Harness, chart: string, count: number, concurrent: boolean): Promise<number[]> {
  const namespace = `bench-latency-${concurrent ? 'many' : 'one'}-${process.pid}`;
  const stop = new AbortController();
  return await inNamespace(harness, namespace, async () => {
    const ready = readyTimes(harness, namespace, stop.signal);
    const names = Array.from({ length: count }, (_, index) => `web-${index}`);
    const ended = new Map<string, number>();
    const perform = async (name: string) => ended.set(name, await install(harness, namespace, chart, name));
    if (concurrent) await Promise.all(names.map(perform));
    else for (const name of names) await perform(name);
    stop.abort();
    return names.map((name) => (ended.get(name) ?? NaN) - (ready.get(name) ?? NaN));
  });
}

function row(title: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? NaN;
  const cells = [median(sorted), p95, sorted.at(-1) ?? NaN].map((time) => `${time.toFixed(0)} ms`);
  return `| ${[title, ...cells].join(' | ')} |`;
}

const folder = await mkdtemp(join(tmpdir(), 'bench-latency-'));
try {
  const chart = await writeChart(folder, 'latency', { manifest: manifest() });
  const harness = await openHarness({ kubeconfig: readFileSync(kubeconfig, 'utf8'), localCharts: folder });
  try {
    console.log('| Installations | Median | 95th percentile | Longest |\n|---|---|---|---|');
    console.log(row(`${single}, one at a time`, await latencies(harness, chart, single, false)));
    console.log(row(`${atOnce} at once`, await latencies(harness, chart, atOnce, true)));
  } finally {
    await harness.close();
  }
} finally {
  await rm(folder, { recursive: true });
}
