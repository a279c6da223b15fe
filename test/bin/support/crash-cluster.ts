import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { snapshot } from '../../operation/resumption/snapshot.ts';
import { realHost } from '../../support/host.ts';
import { followJobs } from './followed-jobs.ts';
import { hookTemplates, jobTemplate } from './job-template.ts';

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
${hookTemplates('[sleep, 2s]')}
{{- if .Values.fails }}
${jobTemplate('load', '', '[fail]')}
{{- end }}`;

/** A cluster, and a chart with hooks and Jobs whose effects in it can be compared. */
export interface CrashCluster {
  cluster: KubeCluster;
  kubeconfig: string;
  /** A folder for files of the test. Its folder `charts` has the chart `web`. */
  folder: string;
  /** Returns what is in a namespace; see `snapshot`. Random texts have numbers. */
  left: (namespace: string) => Promise<string[]>;
  /**
   * Returns the names of the Jobs that were created in a namespace, once for each creation, and
   * their numbers of pods.
   */
  jobs: (namespace: string) => string[];
  close(): Promise<void>;
}

export interface CrashClusterOptions {
  /** The kubeconfig of a cluster. Default: that of a new sandbox. */
  kubeconfig?: string;
  /** The namespace of the agent, which exists. Default: that of the kubeconfig. */
  agentNamespace?: string;
}

export async function crashCluster(options: CrashClusterOptions = {}): Promise<CrashCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  await mkdir(join(folder, 'charts/web/templates'), { recursive: true });
  await writeFile(join(folder, 'charts/web/Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  await writeFile(join(folder, 'charts/web/values.yaml'), 'greeting: hello\nargs: [serve]\nfails: false\n');
  await writeFile(join(folder, 'charts/web/templates/all.yaml'), templates);
  const sandbox = options.kubeconfig === undefined ? await startSandbox({ host: realHost, speed: 20 }) : undefined;
  const kubeconfig = inNamespace(options.kubeconfig ?? sandbox?.kubeconfig ?? '', options.agentNamespace);
  const cluster = connectCluster({ text: kubeconfig });
  const jobs = followJobs(cluster);
  const onUnreadable = (error: Error) => {
    throw error;
  };
  const storage = openStorage('secret', { cluster, host: realHost, onUnreadable });
  return {
    cluster,
    kubeconfig,
    folder,
    left: async (namespace) => numbered(await snapshot(cluster, storage, namespace)),
    jobs: (namespace) => jobs.createdIn(namespace),
    async close() {
      await jobs.stop();
      await cluster.close();
      await sandbox?.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns a kubeconfig with another namespace in its contexts. */
function inNamespace(kubeconfig: string, namespace: string | undefined): string {
  if (namespace === undefined) return kubeconfig;
  const config = load(kubeconfig) as { contexts: { context: object }[] }; // a kubeconfig has contexts
  const contexts = config.contexts.map((entry) => ({ ...entry, context: { ...entry.context, namespace } }));
  return JSON.stringify({ ...config, contexts });
}

/** Replaces the random texts of the chart by their numbers in the order in which they appear. */
function numbered(texts: readonly string[]): string[] {
  const found = new Map<string, string>();
  const number = (random: string) => {
    found.set(random, found.get(random) ?? `RANDOM-${found.size + 1}`);
    return found.get(random) ?? '';
  };
  return texts.map((text) =>
    withoutReasons(withoutControllers(text)).replace(
      /(random[\\": ]+)([a-z0-9]{8})/g,
      (_, name: string, random: string) => name + number(random),
    ),
  );
}

/** Removes the managers of the cluster itself, which write when they like. */
function withoutControllers(text: string): string {
  return text.replace(/"(kube-controller-manager|kubelet) [A-Za-z]+",?/g, '').replace(/,\]/g, ']');
}

/** Removes what a resource that failed has said, which has names of pods. */
function withoutReasons(text: string): string {
  return text.replace(/status: \w+, message: (?:[^"\\]|\\.)*/g, 'REASON');
}
