// Measures the memory of an agent that is idle after the same commands as one service account, and
// as several, so the difference is what the clients, discovery and watches of an account cost.
//   npm run -s bench:accounts -- --kubeconfig FILE
//     [--accounts 1,10,100] [--commands N] [--rounds N]
// The agent is the bundle as the image runs it. It acts in a namespace that is deleted at the end.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import { writeCharts } from './bench-chart.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    accounts: { type: 'string', default: '1,10,100' },
    commands: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
  },
});
if (flags.kubeconfig === undefined) {
  console.error(
    'usage: npm run -s bench:accounts -- --kubeconfig FILE [--accounts 1,10,100] [--commands N] [--rounds N]',
  );
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const counts = flags.accounts.split(',').map(Number);
const commands = Number(flags.commands);

/** Time until watches end, garbage is collected and memory is given back. */
const idleMs = 30_000;
const namespace = `bench-accounts-${Date.now().toString(36)}`;
const role = 'rbac.authorization.k8s.io/v1';

const folder = await mkdtemp(join(tmpdir(), 'bench-accounts-'));
const cluster = connectCluster({ file: kubeconfig });

/** Maps the releases `RUN-N` to the accounts in turn. */
async function writeRights(count: number): Promise<string> {
  const file = join(folder, `rights-${count}.yaml`);
  const rules = Array.from({ length: commands }, (_, index) => {
    return { releases: [`*-${index}`], account: `${namespace}/account-${index % count}` };
  });
  await writeFile(file, `${JSON.stringify({ rules, default: 'none' })}\n`);
  return file;
}

/** Returns the memory after the commands, in MiB. */
async function measure(program: string, charts: string, run: string, count: number): Promise<number> {
  const agent = await startImageAgent(program, kubeconfig, charts, ['--rights-file', await writeRights(count)]);
  try {
    for (let index = 0; index < commands; index += 1) {
      const releaseName = `${run}-${index}`;
      await agent.perform('install_release', { namespace, releaseName, chartName: 'small', wait: true });
    }
    await sleep(idleMs);
    return (await agent.memory()).now;
  } finally {
    await agent.close();
  }
}

try {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const accounts = Array.from({ length: Math.max(...counts) }, (_, index) => `account-${index}`);
  for (const name of accounts) {
    await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  }
  await cluster.create({
    ...{ apiVersion: role, kind: 'RoleBinding', metadata: { name: 'accounts', namespace } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: accounts.map((name) => ({ kind: 'ServiceAccount', name, namespace })),
  });
  await writeCharts(folder);
  const program = await buildBundle(folder);
  const found = new Map<number, number[]>(counts.map((count) => [count, []]));
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const count of counts) found.get(count)?.push(await measure(program, folder, `run-${round}-${count}`, count));
  }
  for (const [count, mib] of found) {
    const range = `${Math.min(...mib).toFixed(1)} to ${Math.max(...mib).toFixed(1)}`;
    console.log(`${count} accounts: ${median(mib).toFixed(1)} MiB (${range})`);
  }
} finally {
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
  await rm(folder, { recursive: true });
}
