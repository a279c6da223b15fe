import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { agentOf } from '../../src/bin/agent-of.ts';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { accountRoles } from '../../src/rights/roles.ts';
import { recordingLog } from '../agent/support/log.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';

const charts = {
  app: `apiVersion: v1
kind: ConfigMap
metadata: { name: config, annotations: { pods: {{ (lookup "v1" "Pod" .Release.Namespace "").items | len | quote }} } }
data: { value: {{ .Values.value | default "one" | quote }} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 0
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: a, image: nothing }] } }
`,
  hook: `apiVersion: v1
kind: ConfigMap
metadata: { name: hook, annotations: { helm.sh/hook: "pre-install,test" } }
`,
  binding: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: {{ .Release.Namespace }} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: {{ .Release.Namespace }} }]
`,
  lookup: `# {{ lookup "v1" "Secret" "kube-system" "" }}\n`,
};

interface Tenant {
  agent: string;
  shop: string;
  admin: KubeCluster;
  plane: ControlPlane;
  agentKubeconfig: string;
}

/** Starts an agent with the documented rights, which may impersonate one account. */
async function tenant(t: ExecutionContext): Promise<Tenant> {
  const admin = connectCluster({ text: kubeconfigText() });
  t.teardown(() => admin.close());
  const folder = await mkdtemp(join(tmpdir(), 'rights-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [agent, shop] = [freeNamespace(t, admin), freeNamespace(t, admin)];
  for (const name of [agent, shop]) await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const name = 'helm-agent';
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name, namespace: agent };
  const rules = [
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  ];
  const objects: KubeObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, roleRef: { apiGroup: rbac, kind: 'Role', name } },
      subjects: [{ kind: 'ServiceAccount', name, namespace: agent }],
    },
    ...accountRoles({ account: `${shop}/deployer`, agent: `${agent}/${name}` }),
    {
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' },
      metadata: { name: 'token', namespace: agent, annotations: { 'kubernetes.io/service-account.name': name } },
    },
  ];
  for (const object of objects) await admin.create(object);
  let token = '';
  await eventually('the account has a token', async () => {
    const secret = await admin.get({ apiVersion: 'v1', kind: 'Secret', name: 'token', namespace: agent });
    token = Buffer.from(stringAt(secret ?? {}, 'data', 'token') ?? '', 'base64').toString();
    return token !== '';
  });
  const config = load(kubeconfigText()) as { users: { name: string }[]; contexts: { context: object }[] }; // a kubeconfig
  const text = JSON.stringify({
    ...config,
    users: config.users.map((user) => ({ name: user.name, user: { token } })),
    contexts: config.contexts.map((entry) => ({ ...entry, context: { ...entry.context, namespace: agent } })),
  });
  const [agentKubeconfig, rightsFile] = [join(folder, 'kubeconfig'), join(folder, 'rights.yaml')];
  await writeFile(agentKubeconfig, text);
  await writeFile(rightsFile, `rules: [{ namespaces: [${shop}], account: deployer }]\ndefault: none\n`);
  for (const [chart, template] of Object.entries(charts)) {
    await mkdir(join(folder, chart, 'templates'), { recursive: true });
    await writeFile(join(folder, chart, 'Chart.yaml'), `apiVersion: v2\nname: ${chart}\nversion: 1.0.0\n`);
    await writeFile(join(folder, chart, 'templates/a.yaml'), template);
  }
  const plane = new ControlPlane();
  const running = await agentOf({
    ...{ agentId, rightsFile, journal: 'cluster', localCharts: folder, log: recordingLog().log },
    cluster: { file: agentKubeconfig },
    controlPlaneUrl: `ws://127.0.0.1:${await plane.listen(0)}`,
  });
  t.teardown(async () => {
    await running.stop();
    await plane.close();
  });
  await plane.waitForAgent(agentId, AbortSignal.timeout(30_000));
  return { agent, shop, admin, plane, agentKubeconfig };
}

test('an agent without rights of its own deploys as the account of a tenant, and no further', async (t) => {
  const { agent, shop, admin, plane, agentKubeconfig } = await tenant(t);
  const release = { namespace: shop, releaseName: 'web' };
  const install = (chartName: string) =>
    plane.install(agentId, { namespace: shop, releaseName: chartName, chartName, createNamespace: false });
  await answerOf(plane.install(agentId, { ...release, chartName: 'app' }));
  await answerOf(plane.upgrade(agentId, { ...release, chartName: 'app', values: 'value: two' }));
  await answerOf(plane.rollback(agentId, release));
  await answerOf(install('hook'));
  await answerOf(plane.status(agentId, release));
  t.is((await answerOf(plane.list(agentId, { namespace: shop }))).releases.length, 2);

  const lacking = await failureOf(install('binding'));
  t.is(lacking.code, 'forbidden');
  t.true(lacking.message.includes(`the service account ${shop}/deployer lacks rights, so nothing was changed`));
  t.true(lacking.message.includes('create clusterrolebindings.rbac.authorization.k8s.io in the whole cluster'));
  const looking = await failureOf(install('lookup'));
  t.true(looking.message.includes(`User "system:serviceaccount:${shop}:deployer" cannot list resource "secrets"`));
  t.is((await failureOf(plane.list(agentId, {}))).code, 'forbidden');
  t.is((await failureOf(plane.status(agentId, { ...release, namespace: 'kube-system' }))).code, 'forbidden');

  // a tenant forges records of a release, whose objects are those of another namespace
  const victim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'victim', namespace: agent } };
  const annotations = { 'meta.helm.sh/release-name': 'forged', 'meta.helm.sh/release-namespace': shop };
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  const other = freeNamespace(t, admin);
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
  await admin.create({ ...victim, metadata: { name: 'victim', namespace: other, annotations, labels } });
  const storage = openStorage('secret', { cluster: admin, host: realHost, onUnreadable: () => undefined });
  const stored = await storage.get({ namespace: shop, name: 'web', version: 1 });
  if (stored === undefined) throw new Error('the release has a record');
  const manifest = `---\n${JSON.stringify({ ...victim, metadata: { name: 'victim', namespace: other }, data: { a: 'b' } })}\n`;
  for (const version of [1, 2]) {
    const status = version === 1 ? 'superseded' : 'deployed';
    const forged = { ...stored.release, name: 'forged', version, manifest };
    await storage.create({ ...forged, info: { ...stored.release.info, status } }, {});
  }
  const taken = { namespace: shop, releaseName: 'forged' };
  for (const send of [plane.rollback(agentId, taken), plane.uninstall(agentId, taken)]) {
    const { code, message } = await failureOf(send);
    t.regex(message, new RegExp(`${shop}[:/]deployer`), `${code}: ${message}`);
  }
  const left = await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', name: 'victim', namespace: other });
  t.deepEqual([left?.metadata.deletionTimestamp, left?.['data']], [undefined, undefined]);
  await answerOf(plane.uninstall(agentId, release));

  const kubectl = `${process.env['HELM_BIN'] ?? ''}/kubectl`;
  const args = ['--kubeconfig', agentKubeconfig, 'auth', 'can-i', '--list', '--no-headers', '-n'];
  const listed = async (namespace: string) => {
    const { stdout } = await promisify(execFile)(kubectl, [...args, namespace]);
    const lines = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
    return lines.filter((line) => line !== '' && !line.startsWith('[') && !/^self\w+\./.test(line)).sort();
  };
  t.deepEqual(await listed(agent), [
    'leases.coordination.k8s.io [] [] [get create update]',
    'secrets [] [] [get list create patch delete]',
  ]);
  t.deepEqual(await listed(shop), ['serviceaccounts [] [deployer] [impersonate]']);
  t.deepEqual(await listed('default'), []);
});
