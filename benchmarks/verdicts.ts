// Measures how long an installation takes to fail, or to become ready, beside helm:
//   HELM_BIN=FOLDER KUBECONFIG=FILE npm run -s bench:verdicts
// The charts are those of test/e2e/verdict-cases.ts. Both wait with a time limit of 60 s, helm with
// `--wait --wait-for-jobs`. The node must be on this machine, where the registry of the charts is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { openHarness, type Harness } from '../test/e2e/open-harness.ts';
import { runHelm } from '../test/e2e/helm.ts';
import { performed } from '../test/e2e/performed.ts';
import { kubeconfigText } from '../test/e2e/real-cluster.ts';
import { serveRegistry } from '../test/e2e/registry.ts';
import { verdictCases, type VerdictCase } from '../test/e2e/verdict-cases.ts';
import { writeChart } from '../test/e2e/written-chart.ts';

/** Number of installations at the same time. */
const concurrency = 3;

interface Measured {
  seconds: number;
  verdict: string;
}

async function measureAgent({ plane, agentId }: Harness, namespace: string, chartName: string): Promise<Measured> {
  const begin = performance.now();
  const request = { releaseName: 'web', namespace, chartName, timeout: '60s', atomic: false };
  const { result, outcome } = await performed(plane.install(agentId, request));
  const seconds = (performance.now() - begin) / 1000;
  const [problem] = result.ok ? [] : (result.error.resources ?? []).flatMap((resource) => resource.problem?.code ?? []);
  return { seconds, verdict: problem === undefined ? outcome : `${outcome}, \`${problem}\`` };
}

async function measureHelm(namespace: string, chart: string): Promise<Measured> {
  const begin = performance.now();
  const flags = ['--namespace', namespace, '--create-namespace', '--wait', '--wait-for-jobs', '--timeout', '60s'];
  const { code, stderr } = await runHelm('helm4', 'install', 'web', chart, ...flags);
  const seconds = (performance.now() - begin) / 1000;
  return { seconds, verdict: code === 0 ? 'deployed' : stderr.includes('context deadline') ? 'deadline' : 'failed' };
}

async function row(harness: Harness, folder: string, registry: string, test: VerdictCase): Promise<string> {
  const chart = await writeChart(folder, test.name, { manifest: test.manifest(registry) });
  const namespaces = [`e2e-verdict-${test.name}-agent`, `e2e-verdict-${test.name}-helm`] as const;
  try {
    const agent = await measureAgent(harness, namespaces[0], chart);
    const helm = await measureHelm(namespaces[1], chart);
    const cells = [agent, helm].flatMap(({ seconds, verdict }) => [seconds.toFixed(1), verdict]);
    return `| ${[test.title, ...cells].join(' | ')} |`;
  } finally {
    for (const name of namespaces) await harness.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  }
}

const folder = await mkdtemp(join(tmpdir(), 'helm-agent-verdicts-'));
const registry = await serveRegistry();
const harness = await openHarness({ kubeconfig: kubeconfigText(), localCharts: folder });
try {
  const rows = await pMap(verdictCases, (test) => row(harness, folder, registry.address, test), { concurrency });
  console.log('| Chart | Agent: seconds | Verdict | helm 4: seconds | Verdict |\n|---|---|---|---|---|');
  console.log(rows.join('\n'));
} finally {
  await harness.close();
  registry.close();
  await rm(folder, { recursive: true });
}
