import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { agentOf, type AgentSetup } from '../../src/compose/agent-of.ts';
import { ControlPlane, type ControlPlaneOptions } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { accountRoles } from '../../src/rights/roles.ts';
import { recordingLog } from '../agent/support/log.ts';
import { agentId } from '../bin/support/world.ts';
import { eventually } from '../support/eventually.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';

/** An agent without rights of its own, and the namespace of a tenant. */
export interface Tenant {
  agent: string;
  shop: string;
  admin: KubeCluster;
  plane: ControlPlane;
  agentKubeconfig: string;
}

/**
 * Starts an agent with the documented rights, which may impersonate the account `deployer` of the
 * tenant, and has charts with these templates. `commands` are those of `helm-agent rights`, for
 * that account; `setup` and `planeOptions` have further settings.
 */
export async function tenant(
  t: ExecutionContext,
  charts: Readonly<Record<string, string>>,
  { commands, ...setup }: Partial<AgentSetup> & { commands?: readonly string[] } = {},
  planeOptions: ControlPlaneOptions = {},
): Promise<Tenant> {
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
    ...accountRoles({ account: `${shop}/deployer`, agent: `${agent}/${name}`, commands }),
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
  const plane = new ControlPlane(planeOptions);
  const running = await agentOf({
    ...{ agentId, rightsFile, journal: 'cluster', lookup: 'all', localCharts: folder, log: recordingLog().log },
    cluster: { file: agentKubeconfig },
    ...setup,
    controlPlaneUrl: `ws://127.0.0.1:${await plane.listen(0)}`,
  });
  t.teardown(async () => {
    await running.stop();
    await plane.close();
  });
  await plane.waitForAgent(agentId, AbortSignal.timeout(120_000));
  return { agent, shop, admin, plane, agentKubeconfig };
}
