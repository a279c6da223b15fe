// Measures how long an installation takes to fail, or to become ready, beside helm:
//   HELM_BIN=FOLDER KUBECONFIG=FILE npm run -s bench:verdicts
// The charts are those of test/e2e/verdict-cases.ts. Both wait with a time limit of 60 s, or that
// of the case, helm with
// `--wait --wait-for-jobs`. The node must be on this machine, where the registry of the charts is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { runHelm } from '../test/e2e/helm.ts';
import { type Harness, openHarness } from '../test/e2e/open-harness.ts';
import { performed } from '../test/e2e/performed.ts';
import { kubeconfigText } from '../test/e2e/real-cluster.ts';
import { serveRegistry } from '../test/e2e/registry.ts';
import { type VerdictCase, verdictCases } from '../test/e2e/verdict-cases.ts';
import { withController } from '../test/e2e/verdict-controllers.ts';
import { definitionRefs } from '../test/e2e/verdict-manifests.ts';
import { writeChart } from '../test/e2e/written-chart.ts';

/** Number of installations at the same time. */
const concurrency = 3;

interface Measured {
  seconds: number;
  verdict: string;
}

interface Measurement {
  harness: Harness;
  namespace: string;
  chart: string;
  verdictCase: VerdictCase;
}

async function measureAgent({ harness, namespace, chart, verdictCase }: Measurement): Promise<Measured> {
  const { plane, agentId, cluster } = harness;
  const begin = performance.now();
  const request = { releaseName: 'web', namespace, chartName: chart, timeout: '60s', atomic: false };
  const { result, outcome } = await withController(
    verdictCase.controller,
    { cluster, namespace, onFailure: () => undefined },
    () => performed(plane.install(agentId, { ...request, ...verdictCase.request })),
  );
  const seconds = (performance.now() - begin) / 1000;
  const [problem] = result.ok ? [] : (result.error.resources ?? []).flatMap((resource) => resource.problem?.code ?? []);
  return { seconds, verdict: problem === undefined ? outcome : `${outcome}, \`${problem}\`` };
}

async function measureHelm({ harness, namespace, chart, verdictCase }: Measurement): Promise<Measured> {
  const { cluster } = harness;
  const timeout = String(verdictCase.request?.timeout ?? '60s');
  const begin = performance.now();
  const flags = ['--namespace', namespace, '--create-namespace', '--wait', '--wait-for-jobs', '--timeout', timeout];
  const { code, stderr } = await withController(
    verdictCase.controller,
    { cluster, namespace, onFailure: () => undefined },
    () => runHelm('helm4', 'install', 'web', chart, ...flags),
  );
  const seconds = (performance.now() - begin) / 1000;
  return { seconds, verdict: code === 0 ? 'deployed' : stderr.includes('context deadline') ? 'deadline' : 'failed' };
}

async function row(harness: Harness, folder: string, registry: string, test: VerdictCase): Promise<string> {
  const { manifest, crds = {} } = test;
  const chart = await writeChart(folder, test.name, { manifest: manifest(registry), crds });
  const namespaces = [`e2e-verdict-${test.name}-agent`, `e2e-verdict-${test.name}-helm`] as const;
  try {
    const common = { harness, chart, verdictCase: test };
    const agent = await measureAgent({ ...common, namespace: namespaces[0] });
    const helm = await measureHelm({ ...common, namespace: namespaces[1] });
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
  for (const ref of definitionRefs) await harness.cluster.delete(ref);
  await harness.close();
  registry.close();
  await rm(folder, { recursive: true });
}
