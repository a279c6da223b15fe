import test from 'ava';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { realHost } from '../support/host.ts';
import { documentedRights, listedRights } from './listed-rights.ts';
import { freeNamespace } from './namespaces.ts';
import { kubeconfigFile } from './real-cluster.ts';
import { tenant } from './tenant.ts';

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

test('an agent without rights of its own deploys as the account of a tenant, and no further', async (t) => {
  const { agent, shop, admin, plane, agentKubeconfig } = await tenant(t, charts);
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

  const set = { namespace: shop, releaseName: 'set' };
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: set }\n';
  const apply = (manifests: string) => plane.applyManifests(agentId, { ...set, manifests, createNamespace: false });
  await answerOf(apply(map));
  const further = await failureOf(apply(`${map}---\n${charts.binding.replaceAll('{{ .Release.Namespace }}', shop)}`));
  t.is(further.code, 'forbidden');
  t.true(further.message.includes('create clusterrolebindings.rbac.authorization.k8s.io in the whole cluster'));
  const elsewhere = await failureOf(apply(map.replace('name: set', 'name: set, namespace: kube-system')));
  t.is(elsewhere.code, 'forbidden');
  await answerOf(plane.deleteManifests(agentId, set));

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

  const user = ['--kubeconfig', agentKubeconfig];
  t.deepEqual(await listedRights(user, agent), documentedRights());
  t.deepEqual(await listedRights(user, shop), ['serviceaccounts [] [deployer] [impersonate]']);
  t.deepEqual(await listedRights(user, 'default'), []);
});

test('an account with the rights to commands of the right act performs them, and no others', async (t) => {
  const { shop, plane } = await tenant(t, charts, { commands: ['act'], allowedRights: ['deploy', 'act', 'exec'] });
  const web = { namespace: shop, kind: 'deploy', name: 'web' };
  await answerOf(
    plane.install(agentId, { namespace: shop, releaseName: 'web', chartName: 'app', createNamespace: false }),
  );
  for (const replicas of [1, 0]) await answerOf(plane.scaleWorkload(agentId, { ...web, replicas, wait: false }));
  await answerOf(plane.restartWorkload(agentId, { ...web, wait: false }));
  await answerOf(plane.pauseRollout(agentId, { namespace: shop, name: 'web' }));
  await answerOf(plane.resumeRollout(agentId, { namespace: shop, name: 'web' }));
  await answerOf(plane.stopRelease(agentId, { namespace: shop, releaseName: 'web', wait: false }));
  await answerOf(plane.startRelease(agentId, { namespace: shop, releaseName: 'web', wait: false }));
  const as = ['--kubeconfig', kubeconfigFile(), '--as', `system:serviceaccount:${shop}:deployer`];
  const rights = (await listedRights(as, shop)).join('\n');
  t.regex(rights, /^replicationcontrollers .*patch/m);
  t.notRegex(rights, /pods\/exec|pods\/portforward/);
});
