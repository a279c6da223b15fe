import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { agentId, answerOf, failureOf } from '../bin/support/world.ts';
import { eventually } from '../support/eventually.ts';
import { tenant } from './tenant.ts';

const password = 'hunter2-of-a-secret';

const charts = {
  app: `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data:
  values: {{ pick .Values "a" "b" "c" "db" "port" "flag" | toJson | quote }}
`,
};

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function world(t: Parameters<typeof tenant>[0], rule: string) {
  t.timeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'values-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const policyFile = join(folder, 'policy.yaml');
  await writeFile(policyFile, `rules: [{ name: all${rule} }]\ndefault: deny\n`);
  const found = await tenant(t, charts, { policyFile });
  const { admin, shop: namespace, plane } = found;
  const data = { 'values.yaml': 'a: 1\nb: 1\nc: 1', more: 'b: 2\nc: 2', flag: 'true', port: '"5432"', broken: 'a: [' };
  await admin.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace }, data });
  const secrets = { 'values.yaml': base64(`db: ${password}`), list: base64(`[${password}]`) };
  for (const name of ['web-db', 'other']) {
    await admin.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: secrets });
  }
  type Reference = {
    kind: 'Secret' | 'ConfigMap';
    name: string;
    key?: string;
    targetPath?: string;
    optional?: boolean;
  };
  const fields = (valuesFrom: Reference[]) => ({ namespace, releaseName: 'web', chartName: 'app', valuesFrom });
  const install = (...valuesFrom: Reference[]) =>
    plane.install(agentId, { ...fields(valuesFrom), createNamespace: false });
  const values = async () => {
    const object = await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'web' });
    return object?.['data'];
  };
  return { ...found, namespace, fields, install, values };
}

test('values come from Secrets and ConfigMaps of the namespace, by keys and paths', async (t) => {
  const { plane, admin, namespace, fields } = await world(t, '');
  const given = fields([
    { kind: 'ConfigMap', name: 'web' },
    { kind: 'ConfigMap', name: 'web', key: 'more' },
    { kind: 'ConfigMap', name: 'missing', optional: true },
    { kind: 'ConfigMap', name: 'web', key: 'flag', targetPath: 'flag' },
    { kind: 'ConfigMap', name: 'web', key: 'port', targetPath: 'port' },
    { kind: 'Secret', name: 'web-db' },
  ]);
  const result = await answerOf(
    plane.install(agentId, { ...given, releaseName: 'app', values: 'c: 3', createNamespace: false }),
  );
  t.false(JSON.stringify(result).includes(password));
  t.like(result, { release: { config: { a: 1, b: 2, c: 3, db: '***', flag: true, port: '5432' } } });
  const object = await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'app' });
  const { values = '' } = (object?.['data'] ?? {}) as { values?: string };
  t.deepEqual(JSON.parse(values), { a: 1, b: 2, c: 3, db: password, flag: true, port: '5432' });
});

test('missing and wrong values change nothing, and are not shown', async (t) => {
  const { install, admin, namespace } = await world(t, '');
  const cases = [
    [
      install({ kind: 'Secret', name: 'missing' }),
      'values_not_found',
      /^valuesFrom\[0\]: Secret \S+\/missing does not/,
    ],
    [install({ kind: 'Secret', name: 'web-db', key: 'none', optional: true }), 'values_not_found', /has no key none/],
    [install({ kind: 'Secret', name: 'web-db', key: 'list' }), 'values_invalid', /^valuesFrom\[0\]: /],
    [install({ kind: 'ConfigMap', name: 'web', key: 'broken' }), 'values_invalid', /^valuesFrom\[0\]: /],
  ] as const;
  for (const [command, code, message] of cases) {
    const failure = await failureOf(command);
    t.is(failure.code, code, failure.message);
    t.regex(failure.message, message);
    t.false(JSON.stringify(failure).includes(password));
  }
  const releases = await admin.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner=helm' });
  t.deepEqual(releases, []);
});

test('an account without the right to read Secrets gives no values from them', async (t) => {
  const { install, plane, fields, admin, namespace } = await world(t, '');
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', namespace };
  const roleRules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'list'] },
  ];
  await admin.mergePatch({ ...rbac, kind: 'Role', name: 'helm-agent-deployer' }, { rules: roleRules });
  const secret = fields([{ kind: 'Secret', name: 'web-db' }]);
  await eventually('the account may not read Secrets', async () => {
    const { code, message } = await failureOf(plane.template(agentId, secret));
    return code === 'forbidden' && message.startsWith('valuesFrom[0]: ') && !message.includes(password);
  });
  const failure = await failureOf(install({ kind: 'Secret', name: 'web-db' }));
  t.is(failure.code, 'forbidden');
});

test('the policy says which objects may give values', async (t) => {
  const { plane, install, fields, values } = await world(t, ', valuesFrom: [ConfigMap/web, Secret/web-*]');
  const other = fields([{ kind: 'Secret', name: 'other' }]);
  const commands = [
    plane.install(agentId, { ...other, createNamespace: false }),
    plane.template(agentId, other),
    plane.diff(agentId, other),
    plane.plan(agentId, { action: 'install', ...other }),
    install({ kind: 'ConfigMap', name: 'web' }, { kind: 'ConfigMap', name: 'kube-root-ca.crt', key: 'ca.crt' }),
  ];
  for (const command of commands) {
    const { code, message } = await failureOf(command);
    t.is(code, 'denied_by_policy', message);
    t.regex(message, /^rule all of the policy does not allow it: valuesFrom: (?:Secret\/other|ConfigMap\/kube-root)/);
  }
  t.like(await values(), { more: 'b: 2\nc: 2' }, 'the ConfigMap is that of the tenant');
  const allowed = fields([
    { kind: 'ConfigMap', name: 'web' },
    { kind: 'Secret', name: 'web-db' },
  ]);
  await answerOf(plane.install(agentId, { ...allowed, releaseName: 'app', createNamespace: false }));
});
