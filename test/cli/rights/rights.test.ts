import test from 'ava';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../../src/objects/object.ts';
import { testProgram } from '../support/program.ts';

const examples = new URL('../../../examples/charts/', import.meta.url).pathname;

async function printed(...args: string[]): Promise<{ objects: KubeObject[]; error: string }> {
  const { run, stdout, stderr } = testProgram();
  await run('rights', ...args);
  return { objects: loadAll(stdout.text) as KubeObject[], error: stderr.text };
}

const namesOf = (objects: readonly KubeObject[]) =>
  objects.map(({ kind, metadata: { namespace = '', name } }) => `${kind} ${namespace}/${name}`);

test('rights prints an account, its role, and the role that lets the agent impersonate only it', async (t) => {
  const { objects } = await printed('shop', '--agent-account', 'deploy/agent');
  t.deepEqual(namesOf(objects), [
    'ServiceAccount shop/deployer',
    'Role shop/helm-agent-deployer',
    'RoleBinding shop/helm-agent-deployer',
    'Role shop/helm-agent-impersonate-deployer',
    'RoleBinding shop/helm-agent-impersonate-deployer',
  ]);
  t.deepEqual(objects[3]?.['rules'], [
    { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['deployer'], verbs: ['impersonate'] },
  ]);
  t.deepEqual(objects[4]?.['subjects'], [{ kind: 'ServiceAccount', namespace: 'deploy', name: 'agent' }]);
  t.false(JSON.stringify(objects).includes('"*"'));
});

test('rights --chart gives rights to the kinds of the chart only', async (t) => {
  const { objects } = await printed('shop', '--chart', `${examples}web`);
  const text = JSON.stringify(objects[1]?.['rules']);
  t.true(text.includes('"deployments"'));
  t.false(text.includes('"statefulsets"'));
});

test('rights --cluster gives them in all namespaces', async (t) => {
  const { objects } = await printed('platform', '--cluster');
  t.deepEqual(namesOf(objects).slice(1, 3), [
    'ClusterRole /helm-agent:platform:deployer',
    'ClusterRoleBinding /helm-agent:platform:deployer',
  ]);
});

for (const args of [
  ['Shop'],
  ['shop/x'],
  ['shop', '--account', 'a b'],
  ['shop', '--agent-account', 'agent'],
  ['shop', '--account', 'x\n---\nkind: Evil'],
]) {
  test(`rights refuses ${JSON.stringify(args)}`, async (t) => {
    const { objects, error } = await printed(...args);
    t.deepEqual(objects, []);
    t.regex(error, /NAMESPACE and --account|--agent-account/);
  });
}
