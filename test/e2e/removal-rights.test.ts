import test from 'ava';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { tenant } from './tenant.ts';

const charts = {
  app: `apiVersion: v1
kind: ConfigMap
metadata: { name: config }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 0
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: a, image: nothing }] } }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: hook, annotations: { helm.sh/hook: "pre-delete,test" } }
`,
};

test('what an account may not delete or test is refused before anything changes', async (t) => {
  const { shop, admin, plane } = await tenant(t, charts);
  const release = { namespace: shop, releaseName: 'web' };
  await answerOf(plane.install(agentId, { ...release, chartName: 'app' }));
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const [role] = await admin.list({ apiVersion, kind: 'Role', namespace: shop });
  if (role === undefined) throw new Error('the account has a role');
  const read = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] };
  const write = { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['*'] };
  await admin.mergePatch(
    { apiVersion, kind: 'Role', namespace: shop, name: role.metadata.name },
    { rules: [read, write] },
  );
  const seen = async () => {
    const kinds = [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'Secret', labelSelector: 'owner=helm' },
      { apiVersion: 'apps/v1', kind: 'Deployment' },
    ];
    const lists = await Promise.all(kinds.map((kind) => admin.list({ ...kind, namespace: shop })));
    return lists
      .flat()
      .map(({ metadata: { name, generation, resourceVersion } }) => [name, generation ?? resourceVersion]);
  };
  const before = await seen();
  const lacking = `the service account ${shop}/deployer lacks rights, so nothing was changed: `;
  const place = `in the namespace ${shop}`;
  for (const [command, right] of [
    [plane.uninstall(agentId, release), `delete deployments.apps ${place}; create serviceaccounts ${place}`],
    [plane.uninstall(agentId, { ...release, noHooks: true }), `delete deployments.apps ${place}`],
    [plane.test(agentId, release), `create serviceaccounts ${place}`],
  ] as const) {
    const { code, message } = await failureOf(command);
    t.is(code, 'forbidden');
    t.true(message.startsWith(`${lacking}${right}; `), message);
  }
  t.deepEqual(await seen(), before);
});
