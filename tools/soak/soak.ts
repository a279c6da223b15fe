// Installs and uninstalls many small releases through one agent on the sandbox, and prints how its
// resources change.
//   npm run -s soak -- [--releases N]
// Exits with 1 if the memory of the agent grows by more than 20 % after the first 200 releases, if
// sockets or timers are left, or if the journal has open entries.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { processHost } from '../../src/render/process-host.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { figuresText, type SoakFigures, type SoakSetup } from './figures.ts';

const { values: flags } = parseArgs({ options: { releases: { type: 'string', default: '5000' } } });
const count = Number(flags.releases);
const first = 200;
const growth = 1.2;
/** Time for watches and connections without a user to end, in milliseconds. */
const lingerMs = 45_000;

const template = `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {revision: {{ .Release.Revision | quote }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: main, image: localhost/app:1}]}
`;

const folder = await mkdtemp(join(tmpdir(), 'soak-'));
await mkdir(join(folder, 'small/templates'), { recursive: true });
await writeFile(join(folder, 'small/Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 1.0.0\n');
await writeFile(join(folder, 'small/templates/all.yaml'), template);
const sandbox = await startSandbox({ host: processHost(), speed: 100 });
const cluster = connectCluster({ text: sandbox.kubeconfig });
const plane = new ControlPlane();
const controlPlane = `ws://127.0.0.1:${await plane.listen(0)}`;
const setup: SoakSetup = { kubeconfig: sandbox.kubeconfig, controlPlane, charts: folder };
const agent = fork(new URL('agent.ts', import.meta.url), [JSON.stringify(setup)], { execArgv: ['--expose-gc'] });
await once(agent, 'message');
await plane.waitForAgent('soak', AbortSignal.timeout(120_000));

async function figures(title: string): Promise<SoakFigures> {
  agent.send('report');
  const [reported] = (await once(agent, 'message')) as [SoakFigures];
  console.log(`${title}: ${figuresText(reported)}`);
  return reported;
}

async function perform(index: number): Promise<void> {
  const name = { releaseName: `soak-${index}`, namespace: 'soak' };
  // without the 5 s for which a container without a probe has to run
  const installed = await plane.install('soak', { ...name, chartName: 'small', settle: false }).result;
  if (!installed.ok) throw new Error(`install ${index}: ${installed.error.message}`);
  const uninstalled = await plane.uninstall('soak', name).result;
  if (!uninstalled.ok) throw new Error(`uninstall ${index}: ${uninstalled.error.message}`);
}

async function performFrom(start: number, end: number): Promise<void> {
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
  await pMap(indexes, perform, { concurrency: 8 });
}

async function journalEntries(state: string): Promise<number> {
  const labelSelector = `helm-agent/journal-state=${state}`;
  const found = await cluster.list({ apiVersion: 'v1', kind: 'Secret', labelSelector, metadataOnly: true });
  return found.length;
}

const started = performance.now();
await figures('at the start');
await performFrom(0, first);
const before = await figures(`after ${first} releases`);
for (let done = first; done < count; done += 1000) {
  await performFrom(done, Math.min(count, done + 1000));
  await figures(`after ${Math.min(count, done + 1000)} releases`);
}
const seconds = (performance.now() - started) / 1000;
await new Promise((resolve) => setTimeout(resolve, lingerMs));
const after = await figures(`${lingerMs / 1000} s later`);
const open = await journalEntries('running');
console.log(`journal: ${open} open entries, ${await journalEntries('finished')} results`);
console.log(`${count} releases, installed and uninstalled, in ${seconds.toFixed(0)} s`);

const problems = [
  ...(after.rss > before.rss * growth ? [`the memory grew from ${before.rss} to ${after.rss} bytes`] : []),
  ...Object.entries(after.handles)
    .filter(([name, number]) => number > (before.handles[name] ?? 0))
    .map(([name, number]) => `${name}: ${before.handles[name] ?? 0} before, ${number} after`),
  ...(after.listeners > before.listeners ? ['listeners of the process are left'] : []),
  ...(open > 0 ? ['the journal has open entries'] : []),
];
for (const problem of problems) console.error(problem);
agent.send('stop');
await once(agent, 'exit');
await plane.close();
await cluster.close();
await sandbox.close();
await rm(folder, { recursive: true });
process.exitCode = problems.length === 0 ? 0 : 1;
