// Measures how long an agent in a pod takes from the start of its process, and from the creation of
// its pod, to its connection: with leader election, a journal in the cluster and a free Lease.
//   KUBECONFIG=FILE HELM_BIN=FOLDER npm run -s bench:pod-start -- --image IMAGE --host ADDRESS
//     [--rounds N]
// The image must be on the node, which is this machine; --host is its address as pods see it. The
// agent is that of the chart deploy/helm-agent. Creates the namespace pod-start-*, and deletes it.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import { stringAt } from '../src/objects/fields.ts';
import { kubeconfigText } from '../test/e2e/real-cluster.ts';
import { processesOf, upgradedAgent } from '../test/e2e/upgraded-agent.ts';
import { useOf } from './process-use.ts';
import { median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: { image: { type: 'string' }, host: { type: 'string' }, rounds: { type: 'string', default: '10' } },
});
const { image, host } = flags;
if (image === undefined || host === undefined) {
  console.error('usage: npm run -s bench:pod-start -- --image IMAGE --host ADDRESS [--rounds N]');
  process.exit(2);
}

/** Time after the pods are gone, until the cluster has nothing else to do. */
const restMs = 5000;

const cluster = connectCluster({ text: kubeconfigText() });
const name = `pod-start-${process.pid}`;
const agent = await upgradedAgent({ cluster, name, host, image });
try {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: name, name: 'helm-agent' };
  const scale = (replicas: number) => cluster.mergePatch(deployment, { spec: { replicas } });
  const rows: { process: number; pod: number; processor: number }[] = [];
  console.log(
    '| Processor (s) | From the process to the connection (s) | From the pod (s) | Load |\n|---|---|---|---|',
  );
  for (let round = 0; round < Number(flags.rounds); round++) {
    await scale(0);
    while ((await agent.pods('agent')).length > 0) await sleep(200);
    await sleep(restMs);
    const connected = agent.plane.waitForAgent(name, AbortSignal.timeout(90_000));
    await scale(1);
    await connected;
    const at = Date.now();
    const [pod] = await agent.pods('agent');
    const [pid] = pod === undefined ? [] : await processesOf(pod);
    if (pod === undefined || pid === undefined) throw new Error('the pod of the agent was not found');
    const { age, cpu: processor } = useOf(pid);
    const created = Date.parse(stringAt(pod, 'metadata', 'creationTimestamp') ?? '');
    const row = { process: age - (Date.now() - at) / 1000, pod: (at - created) / 1000, processor };
    rows.push(row);
    const numbers = [row.processor, row.process, row.pod, loadavg()[0] ?? NaN];
    console.log(`| ${numbers.map((number) => number.toFixed(1)).join(' | ')} |`);
  }
  const medians = (['processor', 'process', 'pod'] as const).map((field) =>
    median(rows.map((row) => row[field])).toFixed(2),
  );
  console.log(`medians: ${medians.join(', ')}`);
} finally {
  await agent.close();
  await cluster.close();
}
