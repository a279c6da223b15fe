import test from 'ava';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { CommandDefinition } from '../../../src/protocol/commands/definition.ts';
import { commands } from '../../../src/protocol/commands/index.ts';
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

test('rights --commands gives the rights that these commands need, and only then', async (t) => {
  const rulesOf = async (...args: string[]) => {
    const { objects } = await printed('shop', '--chart', `${examples}web`, ...args);
    return objects[1]?.['rules'] as { resources: string[]; verbs: string[] }[]; // of the Role
  };
  const may = (rules: Awaited<ReturnType<typeof rulesOf>>, verb: string, resource: string) =>
    rules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
  const acting = [
    ...(['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'cronjobs'] as const).map((name) => [
      'patch',
      name,
    ]),
    ['create', 'jobs'],
    ['delete', 'pods'],
    ['patch', 'replicationcontrollers'],
  ];
  const [act, exec, none] = [await rulesOf('--commands', 'act'), await rulesOf('--commands', 'exec'), await rulesOf()];
  for (const [verb = '', resource = ''] of acting) t.true(may(act, verb, resource), `${verb} ${resource}`);
  t.false(may(none, 'patch', 'statefulsets'));
  t.false(may(none, 'delete', 'pods'));
  for (const resource of ['pods/exec', 'pods/portforward']) {
    t.true(may(exec, 'create', resource), resource);
    t.false(may([...act, ...none], 'create', resource), resource);
  }
  const one = await rulesOf('--commands', 'restart_workload,port_forward');
  t.deepEqual([may(one, 'create', 'pods/portforward'), may(one, 'create', 'pods/exec')], [true, false]);
  t.true(may(one, 'patch', 'statefulsets'));
  t.false(may(one, 'patch', 'cronjobs'));
  t.false(JSON.stringify([act, exec, one]).includes('"*"'));
});

test('each command for what runs says which rights of Kubernetes it needs', (t) => {
  const all = Object.entries<CommandDefinition>(commands);
  const isForRuns = ({ right }: CommandDefinition) => ['act', 'logs', 'exec'].includes(right);
  for (const [type, command] of all) if (isForRuns(command)) t.truthy(command.resourceRights, type);
  const others = all.filter(([, command]) => !isForRuns(command) && command.resourceRights);
  t.deepEqual(
    others.map(([type]) => type),
    ['top'],
    'metrics are not a part of releases',
  );
});

for (const name of ['root', 'exec_pod ', '*', 'act\nlogs']) {
  test(`rights refuses ${JSON.stringify(name)} as a command`, async (t) => {
    const { objects, error } = await printed('shop', '--commands', name);
    t.deepEqual(objects, []);
    t.regex(error, /--commands: .* must be one of read, deploy/);
  });
}

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
