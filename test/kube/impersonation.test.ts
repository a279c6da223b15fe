import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { ServiceAccount } from '../../src/objects/service-account.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { FaultyApi } from '../support/faulty-api.ts';
import { realHost } from '../support/host.ts';

async function open(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-'));
  const sandbox = await startSandbox({ host: realHost, speed: 100 });
  const api = await FaultyApi.start(sandbox, { random: () => 0.5, folder });
  const cluster = connectCluster({ file: api.kubeconfig });
  t.teardown(async () => {
    await cluster.close();
    await api.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  return { cluster, api };
}

const rbac = 'rbac.authorization.k8s.io/v1';

test('each request of an account impersonates it, and RBAC decides about it', async (t) => {
  const { cluster, api } = await open(t);
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
  await cluster.create({ apiVersion: rbac, kind: 'Role', metadata: { name: 'r', namespace: 'default' }, rules });
  const subjects = [{ kind: 'ServiceAccount', name: 'one', namespace: 'shop' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
  await cluster.create({
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'r', namespace: 'default' },
    subjects,
    roleRef,
  });
  const before = api.requests.length;
  const one = cluster.as('shop/one');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'kube-root-ca.crt' };
  t.truthy(await one.get(ref));
  await t.throwsAsync(one.get({ ...ref, namespace: 'kube-system' }), {
    code: 'forbidden',
    message:
      'configmaps "kube-root-ca.crt" is forbidden: User "system:serviceaccount:shop:one" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
  });
  await t.throwsAsync(one.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default' }), {
    code: 'forbidden',
  });
  await t.throwsAsync(cluster.as('shop/two').get(ref), { code: 'forbidden' });
  const users = new Set(api.users.slice(before));
  t.deepEqual([...users].sort(), ['system:serviceaccount:shop:one', 'system:serviceaccount:shop:two']);
});

test('accounts share documents only after the server has confirmed them to each', async (t) => {
  const { cluster, api } = await open(t);
  const kinds = ['shop/one', 'shop/two'] as const;
  for (const account of kinds) {
    const seen = cluster.as(account);
    t.is((await seen.resourceKind('apps/v1', 'Deployment')).resource, 'deployments');
    t.truthy(await seen.patchSchema('apps/v1', 'Deployment'));
    await seen.capabilities();
    const user = `system:serviceaccount:${account.replace('/', ':')}`;
    const own = api.requests.filter((_, index) => api.users[index] === user);
    for (const path of ['/api', '/apis', '/version', '/openapi/v3/apis/apps/v1']) {
      t.true(
        own.some((request) => request === `GET ${path}`),
        `${account} ${path}`,
      );
    }
  }
});

test('what is no account never becomes a header', async (t) => {
  const { cluster, api } = await open(t);
  for (const account of [
    'shop/a\r\nImpersonate-Group: system:masters',
    'shop/a:b',
    'shop',
    '/',
    'a/b/c',
    'shop/',
    '/a',
    'shop/a\n',
    'SHOP/a',
    'shop/ａ',
    `shop/${'a'.repeat(254)}`,
    'shop/a ',
    '*/*',
  ]) {
    t.throws(() => cluster.as(account as ServiceAccount), undefined, JSON.stringify(account));
  }
  t.is(api.requests.length, 0);
});
