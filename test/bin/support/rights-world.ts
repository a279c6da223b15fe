import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AgentSetup } from '../../../src/compose/agent-of.ts';
import type { KubeCluster } from '../../../src/kube/cluster.ts';
import { type FaultyWorld, faultyWorld } from './faulty-world.ts';

const templates = {
  'objects.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: config }
data:
  own: {{ lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" | len | quote }}
  all: {{ (lookup "v1" "Pod" .Release.Namespace "").items | len | quote }}
  value: {{ .Values.value | quote }}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { value: {{ .Values.value | quote }} } }
    spec: { containers: [{ name: web, image: nginx }] }
`,
  'hooks.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations: { helm.sh/hook: "pre-install,pre-upgrade,pre-rollback,pre-delete", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded" }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: busybox, command: ["true"] }] } } }
---
apiVersion: v1
kind: Pod
metadata: { name: check, annotations: { helm.sh/hook: test } }
spec: { restartPolicy: Never, containers: [{ name: a, image: busybox, command: ["true"] }] }
`,
};

function writeChart(folder: string, name: string, files: Record<string, string>): void {
  const chart = join(folder, name);
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(chart, 'values.yaml'), 'value: one\n');
  for (const [file, text] of Object.entries(files)) writeFileSync(join(chart, 'templates', file), text);
}

const configMap = (metadata: string) => `{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}\n`;

/** Charts that reach for more than their own namespace. */
export const greedy = {
  'binds-cluster-role': `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: everything }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: shop }]
`,
  'looks-elsewhere': `# {{ lookup "v1" "Secret" "other" "" }}\n`,
  'looks-everywhere': `# {{ lookup "v1" "Secret" "" "" }}\n`,
  'writes-elsewhere': configMap('{name: x, namespace: other}'),
  'hook-elsewhere': configMap('{name: x, namespace: other, annotations: {helm.sh/hook: pre-install}}'),
};

export const rbac = 'rbac.authorization.k8s.io/v1';

const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];

/** Gives an account rights in a namespace. Default: all. */
export async function grant(
  cluster: KubeCluster,
  account: string,
  namespace: string,
  rules = everything,
): Promise<void> {
  const [own = '', name = ''] = account.split('/');
  const metadata = { name: `${own}-${name}`, namespace };
  await cluster.create({ apiVersion: rbac, kind: 'Role', metadata, rules });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: own }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  await cluster.create({ apiVersion: rbac, kind: 'RoleBinding', metadata, subjects, roleRef });
}

export interface RightsWorld extends FaultyWorld {
  /** The rights file. */
  file: string;
}

/**
 * Starts an agent with a rights file, and the namespaces `shop` and `other`, in each of which the
 * account `deployer` has all rights.
 */
export async function rightsWorld(
  t: ExecutionContext,
  rules: string,
  setup: Partial<AgentSetup> = {},
): Promise<RightsWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'rights-world-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rights.yaml');
  writeFileSync(file, rules);
  const world = await faultyWorld(t, {
    random: () => 0.5,
    setup: { rightsFile: file, lookup: 'all', ...setup },
    writeCharts(charts) {
      writeChart(charts, 'app', templates);
      for (const [name, text] of Object.entries(greedy)) writeChart(charts, name, { 'a.yaml': text });
      return Promise.resolve();
    },
  });
  for (const name of ['shop', 'other']) {
    await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await grant(world.cluster, `${name}/deployer`, name);
  }
  return { ...world, file };
}

/** The requests that the agent sends as itself: the journal, and the probe of the API server. */
export const ownRequest = /^[A-Z]+ (?:\/version$|\/api\/v1\/namespaces\/default\/secrets(?:\/helm-agent\.|\?|$))/;

export const release = { namespace: 'shop', releaseName: 'web' };
export const chart = { ...release, chartName: 'app' };
export const mapped = 'rules: [{ account: deployer, namespaces: [shop, other] }]\ndefault: none\n';
