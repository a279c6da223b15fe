import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { guardianRef } from '../../src/operation/agent-upgrade/guardian-job.ts';
import { trialName } from '../../src/operation/agent-upgrade/trial.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { eventually } from '../support/eventually.ts';
import { helm } from './helm.ts';

const chart = fileURLToPath(new URL('../../deploy/helm-agent', import.meta.url));

/** Name of the release and of the Deployment of an agent. */
const releaseName = 'helm-agent';

export interface UpgradedAgentOptions {
  cluster: KubeCluster;
  /** Name of the namespace, of the agent, and a prefix of the namespaces of its releases. */
  name: string;
  /** Address of this machine as pods see it. */
  host: string;
  image: string;
  replicas?: number;
  /** Further values of the chart. */
  values?: object;
}

/** An agent of the chart deploy/helm-agent in a real cluster, and its control plane here. */
export interface UpgradedAgent {
  name: string;
  cluster: KubeCluster;
  plane: ControlPlane;
  /**
   * Ends the control plane, and starts another one at its port after the time. Waits for the agent.
   */
  loseControlPlane(milliseconds: number): Promise<void>;
  /** Returns the pods of the agent, or of its guardian. */
  pods(component: 'agent' | 'upgrade-guardian'): Promise<KubeObject[]>;
  /** Resolves when the trial of the upgrade is in a phase. */
  reaches(phase: string): Promise<void>;
  /** Sends SIGKILL to the processes of pods; see {@link killPods}. */
  kill(pods: readonly KubeObject[]): Promise<void>;
  /** Deletes the Job of the guardian, with its pod. */
  deleteGuardian(): Promise<void>;
  /** Starts to install a release that waits for its pods for some time, in seconds. */
  slowInstall(release: string, seconds: number): Promise<SentCommand>;
  close(): Promise<void>;
}

const slowTemplate = `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  minReadySeconds: {{ .Values.seconds }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: app, image: localhost/app:1 }] }
`;

/** Installs an agent with helm, and waits until it is connected. */
export async function upgradedAgent(options: UpgradedAgentOptions): Promise<UpgradedAgent> {
  const { cluster, name, host, image, replicas = 1, values: more = {} } = options;
  let plane = new ControlPlane({ authenticate: () => ({ agentId: name }) });
  const port = await plane.listen(0, '0.0.0.0');
  const folder = await mkdtemp(join(tmpdir(), 'upgraded-agent-'));
  const [repository = '', tag = ''] = image.split(/:(?=[^:]*$)/);
  const values = {
    controlPlane: { url: `ws://${host}:${port}`, insecureTransport: true },
    ...{ agentId: name, replicas, image: { repository, tag }, tests: { enabled: false } },
    // the pods of a test are not worth a reservation
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '384Mi' } },
    ...more,
  };
  await writeFile(join(folder, 'values.json'), JSON.stringify(values));
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const metadata = { name: 'helm-agent-token', namespace: name };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: 'token-of-a-test' } });
  await helm('helm4', 'install', releaseName, chart, '--namespace', name, '--values', join(folder, 'values.json'));
  await plane.waitForAgent(name, AbortSignal.timeout(90_000));
  const pods: UpgradedAgent['pods'] = (component) =>
    cluster.list({
      ...{ apiVersion: 'v1', kind: 'Pod', namespace: name },
      labelSelector: `app.kubernetes.io/component=${component}`,
    });

  return {
    name,
    cluster,
    get plane() {
      return plane;
    },
    async loseControlPlane(milliseconds) {
      await plane.close();
      await sleep(milliseconds);
      plane = new ControlPlane({ authenticate: () => ({ agentId: name }) });
      await plane.listen(port, '0.0.0.0');
      await plane.waitForAgent(name, AbortSignal.timeout(90_000));
    },
    pods,
    async reaches(phase) {
      const ref = { apiVersion: 'v1', kind: 'Secret', namespace: name, name: trialName(name) };
      await eventually(
        `the upgrade is ${phase}`,
        async () => {
          await sleep(200);
          const text = stringAt((await cluster.get(ref)) ?? {}, 'data', 'state') ?? '';
          return Buffer.from(text, 'base64')
            .toString()
            .includes(`"phase":${JSON.stringify(phase)}`);
        },
        240_000,
      );
    },
    kill: killPods,
    async deleteGuardian() {
      await cluster.delete(guardianRef({ namespace: name, agentId: name }));
    },
    async slowInstall(release, seconds) {
      const archive = await archiveOf({
        'slow/Chart.yaml': 'apiVersion: v2\nname: slow\nversion: 1.0.0\n',
        'slow/templates/app.yaml': slowTemplate,
      });
      return plane.install(name, {
        ...{ releaseName: release, namespace: `${name}-releases`, chartName: 'slow', timeout: '5m' },
        ...{ chartArchive: archive.toString('base64'), values: `seconds: ${seconds}` },
      });
    },
    async close() {
      await plane.close();
      await helm('helm4', 'uninstall', releaseName, '--namespace', name).catch(() => undefined);
      for (const namespace of [name, `${name}-releases`]) {
        await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      }
      await rm(folder, { recursive: true });
    },
  };
}

/** Sends SIGKILL to the processes of the program in pods. The node must be this machine. */
export async function killPods(pods: readonly KubeObject[]): Promise<void> {
  for (const pod of pods) for (const pid of await processesOf(pod)) killProcess(pid);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

/** Returns the processes of the program in a pod, by their control groups on this machine. */
export async function processesOf({ metadata: { uid = '' } }: KubeObject): Promise<number[]> {
  const found: number[] = [];
  const names = [uid, uid.replaceAll('-', '_')];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const [groups, command] = await Promise.all(
      ['cgroup', 'cmdline'].map((file) => readFile(`/proc/${entry}/${file}`, 'utf8').catch(() => '')),
    );
    if (command?.includes('helm-agent.mjs') !== true) continue;
    if (names.some((name) => groups?.includes(name))) found.push(Number(entry));
  }
  return found;
}
