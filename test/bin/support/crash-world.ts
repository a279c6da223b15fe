import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlane, type SentCommand } from '../../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { secretStorage } from '../../../src/release/storage/secret.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { tokensOf } from '../../control-plane/support/credentials.ts';
import { snapshot } from '../../operation/resumption/snapshot.ts';
import { compileCache } from '../../support/compile-cache.ts';
import { realHost } from '../../support/host.ts';
import { agentId } from './world.ts';

const program = new URL('../../../src/bin/helm-agent.ts', import.meta.url).pathname;

const job = (name: string, annotations: string, args: string) => `---
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: {${annotations}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: localhost/app:1, args: ${args}}]
`;

const every = (when: string) => ['install', 'upgrade', 'rollback', 'delete'].map((verb) => `${when}-${verb}`).join();

const templates = `
apiVersion: v1
kind: ConfigMap
metadata: {name: web, labels: {random: {{ randAlphaNum 8 | lower | quote }}}}
data: {revision: {{ .Release.Revision | quote }}, greeting: {{ .Values.greeting }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: localhost/app:1, args: {{ toJson .Values.args }}}]}
${job('before', `helm.sh/hook: "${every('pre')}"`, '[sleep, 2s]')}
${job('after', `helm.sh/hook: "${every('post')}", helm.sh/hook-delete-policy: hook-succeeded`, '[sleep, 2s]')}
{{- if .Values.fails }}
${job('load', '', '[fail]')}
{{- end }}`;

/**
 * A control plane, a sandbox, and an agent as a process of its own that can be killed. Its journal
 * is in the cluster.
 */
export interface CrashWorld {
  plane: ControlPlane;
  cluster: KubeCluster;
  /** Starts a process of the agent, and resolves when it is connected. */
  start(): Promise<ChildProcess>;
  /** Returns what is in a namespace; see `snapshot`. Random texts have numbers. */
  left(namespace: string): Promise<string[]>;
  /** Returns the names of the Jobs that were created in a namespace, once for each creation. */
  jobs(namespace: string): string[];
  close(): Promise<void>;
}

export async function crashWorld(): Promise<CrashWorld> {
  const children: ChildProcess[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  await mkdir(join(folder, 'charts/web/templates'), { recursive: true });
  await writeFile(join(folder, 'charts/web/Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'charts/web/values.yaml'), 'greeting: hello\nargs: [serve]\nfails: false\n');
  await writeFile(join(folder, 'charts/web/templates/all.yaml'), templates);
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  const plane = new ControlPlane({ authenticate: tokensOf({ [agentId]: 'open-sesame' }) });
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  await writeFile(kubeconfig, sandbox.kubeconfig);
  await writeFile(tokenFile, 'open-sesame\n');
  const port = await plane.listen(0);
  const watching = new AbortController();
  const created = new Map<string, Map<string, string>>();
  const watch = (async () => {
    for await (const change of cluster.observe({ apiVersion: 'batch/v1', kind: 'Job' }, watching.signal)) {
      for (const { metadata } of change.type === 'snapshot' ? change.objects : [change.object]) {
        const { namespace = '', name, uid = '' } = metadata;
        created.set(namespace, (created.get(namespace) ?? new Map<string, string>()).set(uid, name));
      }
    }
  })();
  const onUnreadable = (error: Error) => {
    throw error;
  };
  const storage = secretStorage({ cluster, host: realHost, onUnreadable });
  return {
    plane,
    cluster,
    async start() {
      const args = [
        'run',
        '--kubeconfig',
        kubeconfig,
        '--local-charts',
        join(folder, 'charts'),
        '--journal',
        'cluster',
      ];
      const child = spawn(process.execPath, [program, ...args], {
        env: {
          ...compileCache(),
          HELM_AGENT_CONTROL_PLANE: `ws://127.0.0.1:${port}`,
          HELM_AGENT_AGENT_ID: agentId,
          HELM_AGENT_TOKEN_FILE: tokenFile,
          HELM_AGENT_LOG_LEVEL: 'warn',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.push(child);
      await plane.waitForAgent(agentId, AbortSignal.timeout(55_000));
      return child;
    },
    left: async (namespace) => numbered(await snapshot(cluster, storage, namespace)),
    async close() {
      for (const child of children) child.kill('SIGKILL');
      watching.abort();
      await watch;
      await plane.close();
      await cluster.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
    jobs: (namespace) => [...(created.get(namespace)?.values() ?? [])].sort(),
  };
}

/** Replaces the random texts of the chart by their numbers in the order in which they appear. */
function numbered(texts: readonly string[]): string[] {
  const found = new Map<string, string>();
  const number = (random: string) => {
    found.set(random, found.get(random) ?? `RANDOM-${found.size + 1}`);
    return found.get(random) ?? '';
  };
  return texts.map((text) =>
    text.replace(/(random[\\": ]+)([a-z0-9]{8})/g, (_, name: string, random: string) => name + number(random)),
  );
}

/** Kills a process, and resolves when the control plane has noticed it. */
export async function kill({ plane }: CrashWorld, child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
  while (plane.agents().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when a command has sent a number of status packets, or its result. */
export async function statuses(command: SentCommand, count: number): Promise<void> {
  let seen = 0;
  if (count === 0) return;
  for await (const { type } of command) if (type === 'status' && ++seen === count) return;
}
