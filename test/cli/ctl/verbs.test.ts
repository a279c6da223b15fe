import test, { type ExecutionContext } from 'ava';
import type { CommandType } from '../../../src/protocol/commands/index.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { eventually } from '../../support/eventually.ts';
import { testProgram } from '../support/program.ts';

async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl, allowedRights: ['read', 'deploy', 'act'] });
  await plane.waitForAgent('edge-1');
  const { run, ...rest } = testProgram({ env: { HELM_AGENT_SERVER: url } });
  return { ...rest, puppets, ctl: (...args: string[]) => run('ctl', ...args, '--agent', 'edge-1') };
}

const release = {
  name: 'web',
  namespace: 'shop',
  version: 2,
  info: { status: 'deployed', last_deployed: '2026-01-02T03:04:05.5Z', description: 'Upgrade complete', notes: 'Hi\n' },
  chart: { metadata: { name: 'nginx', version: '1.2.3', appVersion: '9', annotations: { b: '2', a: '1' } } },
  config: { size: 3 },
  manifest: '---\n',
  hooks: [{ name: 'a', kind: 'Job', path: 'x/a.yaml', manifest: 'kind: Job', events: ['test'], weight: 0 }],
  apply_method: 'ssa',
};

test('rollback sends its flags and prints what helm prints', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const flags = ['--timeout', '90s', '--no-wait', '--cleanup-on-fail', '--history-max', '0', '--no-hooks'];
  const code = ctl('rollback', 'web', '3', '-n', 'shop', ...flags);
  const call = await puppets.call(0);
  t.is(call.type, 'rollback_release');
  t.deepEqual<unknown, unknown>(call.payload, {
    namespace: 'shop',
    releaseName: 'web',
    version: 3,
    timeout: 90_000,
    wait: false,
    cleanupOnFail: true,
    historyLimit: -1,
    noHooks: true,
  });
  call.succeed({ release });
  t.is(await code, 0);
  t.is(stdout.text, 'Rollback was a success! Happy Helming!\n');
});

test('rollback leaves defaults to the agent, and 0 is the previous revision', async (t) => {
  const { ctl, puppets } = await world(t);
  const code = ctl('rollback', 'web', '0', '--dry-run=server');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>(call.payload, { namespace: 'default', releaseName: 'web', dryRun: 'server' });
  call.succeed({ release });
  t.is(await code, 0);
});

test("rollback refuses a revision that is not a number with helm's message, and sends nothing", async (t) => {
  const { ctl, puppets, stderr } = await world(t);
  t.is(await ctl('rollback', 'web', 'x'), 1);
  t.is(stderr.text, 'Error: could not convert revision to a number: strconv.Atoi: parsing "x": invalid syntax\n');
  stderr.text = '';
  t.is(await ctl('rollback', 'web', '--dry-run=maybe'), 1);
  t.is(stderr.text, 'Error: invalid dry-run value ("maybe"). Must be "none", "server", or "client"\n');
  t.is(puppets.calls.length, 0);
});

test('list sends its filters', async (t) => {
  const { ctl, puppets } = await world(t);
  const filters = ['--filter', '^w', '-l', 'team=a', '--pending', '--failed', '--date', '--reverse'];
  const code = ctl('list', '-n', 'shop', ...filters, '--max', '5', '--offset', '2');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>(call.payload, {
    namespace: 'shop',
    filter: '^w',
    selector: 'team=a',
    statuses: ['failed', 'pending-install', 'pending-upgrade', 'pending-rollback'],
    sort: 'date',
    reverse: true,
    max: 5,
    offset: 2,
  });
  call.succeed({ releases: [] });
  t.is(await code, 0);
});

for (const line of ['list -q -o json', 'history web -o json', 'list', 'history web -o yaml']) {
  test(`${line} warns on stderr about revisions that it leaves out`, async (t) => {
    const { ctl, puppets, stdout, stderr } = await world(t);
    const code = ctl(...line.split(' '));
    (await puppets.call(0)).succeed({ releases: [], unreadable: ['Secret shop/a: not \u001b[2JJSON\n', 'and 3 more'] });
    t.is(await code, 0);
    t.notRegex(stdout.text, /Secret/);
    t.regex(
      stderr.text,
      /^warning: left out a revision: Secret shop\/a: not [^\u001b\n]*JSON[^\n]*\nwarning: left out a revision: and 3 more\n$/,
    );
  });
}

const prints = test.macro({
  title: (_, command: string) => `${command} prints like helm`,
  async exec(t, command: string, answer: object, expected: string) {
    const { ctl, puppets, stdout, stderr } = await world(t);
    const code = ctl(...command.split(' '));
    (await puppets.call(0)).succeed(answer);
    t.is(await code, 0, stderr.text);
    t.is(stdout.text, expected);
    t.is(stderr.text, '');
  },
});

test(prints, 'list -q -o json', { releases: [release] }, '["web"]\n');
test(
  prints,
  'list --no-headers --time-format 2006',
  { releases: [release] },
  'web\tshop\t2\t2026\tdeployed\tnginx-1.2.3\t9\n',
);
test(
  prints,
  'history web -o json',
  { releases: [release] },
  '[{"revision":2,"updated":"2026-01-02T03:04:05.5Z","status":"deployed","chart":"nginx-1.2.3","app_version":"9","description":"Upgrade complete"}]\n',
);
test(prints, 'history web -o yaml', { releases: [] }, '[]\n');
test(
  prints,
  'status web',
  {
    release,
    resources: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', status: 'InProgress', reason: 'Available: 0/1' },
    ],
  },
  `NAME: web
LAST DEPLOYED: Fri Jan  2 03:04:05 2026
NAMESPACE: shop
STATUS: deployed
REVISION: 2
DESCRIPTION: Upgrade complete
RESOURCES:
==> v1/Deployment
NAME  STATUS      REASON
web   InProgress  Available: 0/1


NOTES:
Hi
`,
);
test(
  prints,
  'status web -o json',
  { release, resources: [] },
  '{"name":"web","info":{"last_deployed":"2026-01-02T03:04:05.5Z","description":"Upgrade complete","status":"deployed","notes":"Hi\\n"},"config":{"size":3},"manifest":"---\\n","hooks":[{"name":"a","kind":"Job","path":"x/a.yaml","manifest":"kind: Job","events":["test"],"last_run":{"phase":""}}],"version":2,"namespace":"shop","apply_method":"ssa"}\n',
);
test(prints, 'get values web', { release }, 'USER-SUPPLIED VALUES:\nsize: 3\n');
test(prints, 'get values web -o json', { release: { ...release, config: undefined } }, 'null\n');
test(prints, 'get values web --all', { release, values: { a: 1, size: 3 } }, 'COMPUTED VALUES:\na: 1\nsize: 3\n');
test(prints, 'get manifest web', { release }, '---\n\n');
test(prints, 'get hooks web', { release }, '---\n# Source: x/a.yaml\nkind: Job\n');
test(prints, 'get notes web', { release }, 'NOTES:\nHi\n\n');
test(
  prints,
  'get metadata web -o json --revision 2',
  { release, labels: { owner: 'helm', team: 'a' } },
  '{"name":"web","chart":"nginx","version":"1.2.3","appVersion":"9","annotations":{"a":"1","b":"2"},"labels":{"team":"a"},"namespace":"shop","revision":2,"status":"deployed","deployedAt":"2026-01-02T03:04:05Z","applyMethod":"ssa"}\n',
);

test('a field that the packet had no room for is an error if it is to be printed', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const code = ctl('get', 'manifest', 'web');
  (await puppets.call(0)).succeed({ release: { ...release, manifest: undefined }, omitted: ['hooks', 'manifest'] });
  t.is(await code, 1);
  t.is(stdout.text, '');
  t.is(stderr.text, 'Error: the release is too large for a packet; it came without manifest\n');
});

test('cancel names a command by its key, and fails if none runs', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const code = ctl('cancel', 'k1');
  const call = await puppets.call(0);
  t.is(call.type, 'cancel_command');
  t.deepEqual<unknown, unknown>(call.payload, { key: 'k1' });
  call.succeed({ cancelled: true });
  t.is(await code, 0);
  t.is(stdout.text, 'command k1 is being cancelled\n');
  const again = ctl('cancel', 'k1', '--mode', 'leave');
  const second = await puppets.call(1);
  t.like(second.payload, { key: 'k1', mode: 'leave' });
  second.succeed({ cancelled: false });
  t.is(await again, 1);
  t.is(stderr.text, 'Error: no command with this key runs or waits (command_not_found)\n');
});

test('status --watch shows changes until Ctrl-C, which cancels it, and then prints the status', async (t) => {
  const { ctl, puppets, stdout, stderr, interrupt } = await world(t);
  const code = ctl('status', 'web', '-n', 'shop', '--watch', '--timeout', '10m');
  const call = await puppets.call(0);
  t.is(call.type, 'watch_release');
  t.deepEqual<unknown, unknown>(call.payload, { namespace: 'shop', releaseName: 'web', timeout: 600_000 });
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', status: 'InProgress', reason: 'Ready: 1/2' };
  call.report('a change');
  await eventually('the change is printed', () => stdout.text.includes('a change'));
  t.is(stderr.text, 'accepted\n');
  interrupt();
  const cancel = await puppets.call(1);
  t.is(cancel.type, 'cancel_command');
  cancel.succeed({ cancelled: true });
  call.succeed({ release, resources: [web] });
  t.is(await code, 0);
  t.true(stdout.text.includes('web   InProgress  Ready: 1/2'));
  stderr.text = '';
  t.is(await ctl('status', 'web', '--timeout', '1s'), 1);
  t.is(stderr.text, 'Error: --timeout is only for --watch\n');
});

const uncompared = { code: 'pending_operation', message: 'revision 3 of web is pending-upgrade' };
const nothing = { revision: 2, drift: [], unchanged: 1 };

for (const [args, answer] of [
  ['--watch', { release, resources: [], drift: [], uncompared }],
  ['--watch --correct', { ...nothing, uncompared }],
] as const) {
  test(`drift ${args} is an error if objects could not be compared at the end`, async (t) => {
    const { ctl, puppets, stdout, stderr } = await world(t);
    const code = ctl('drift', 'web', ...args.split(' '));
    (await puppets.call(0)).succeed(answer);
    t.is(await code, 1);
    t.is(stdout.text, '');
    t.regex(stderr.text, /Error: revision 3 of web is pending-upgrade \(pending_operation\)\n$/);
    const next = ctl('drift', 'web', ...args.split(' '));
    (await puppets.call(1)).succeed({ ...answer, uncompared: undefined });
    t.is(await next, 0);
    t.is(stdout.text, 'no drift\n');
  });
}

for (const args of ['--watch', '--watch --correct', '--watch --correct -o json']) {
  test(`drift ${args} ends by itself after 15 minutes, so that none continues whose ctl was killed`, async (t) => {
    const { ctl, puppets } = await world(t);
    const code = ctl('drift', 'web', ...args.split(' '));
    const call = await puppets.call(0);
    t.like(call.payload, { timeout: 900_000 });
    call.succeed(args === '--watch' ? { release, resources: [], drift: [] } : nothing);
    t.is(await code, 0);
  });
}

test('drift --correct has the time limit of the agent', async (t) => {
  const { ctl, puppets } = await world(t);
  const code = ctl('drift', 'web', '--correct');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>(call.payload, { namespace: 'default', releaseName: 'web' });
  call.succeed(nothing);
  t.is(await code, 0);
});

test('get-object prints YAML or JSON, and refuses a table', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const object = { kind: 'Pod', metadata: { name: 'a' } };
  for (const [index, [flags, printed]] of [
    [[], 'kind: Pod\nmetadata:\n  name: a\n'],
    [['-o', 'yaml'], 'kind: Pod\nmetadata:\n  name: a\n'],
    [['-o', 'json'], `${JSON.stringify(object)}\n`],
  ].entries() as ArrayIterator<[number, [string[], string]]>) {
    stdout.text = '';
    const code = ctl('get-object', 'pod/a', ...flags);
    (await puppets.call(index)).succeed({ object });
    t.is(await code, 0);
    t.is(stdout.text, printed);
  }
  for (const format of ['table', '', 'YAML']) {
    stderr.text = '';
    t.is(await ctl('get-object', 'pod/a', '-o', format), 1);
    t.regex(stderr.text, /^Error: invalid argument ".*" for "-o, --output" flag: must be one of yaml, json\n/);
  }
  stdout.text = '';
  t.is(await ctl('get-object', '--help'), 0);
  t.regex(stdout.text, /-o, --output format +format of the output: yaml, json \(default yaml\)/);
});

test('the help of list says that it lists all namespaces', async (t) => {
  const { ctl, stdout } = await world(t);
  t.is(await ctl('list', '--help'), 0);
  t.regex(stdout.text, /-n, --namespace string +namespace \(default: all\)/);
  stdout.text = '';
  t.is(await ctl('history', '--help'), 0);
  t.regex(stdout.text, /-n, --namespace string +namespace of the release \(default: default\)/);
});

test('test sends its filters, and prints the release and the logs', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const code = ctl('test', 'web', '--filter', 'name=a,!name=b', '--filter', 'other=c', '--logs', '--timeout', '9s');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>(call.payload, {
    namespace: 'default',
    releaseName: 'web',
    timeout: 9000,
    include: ['a'],
    exclude: ['b'],
    logs: true,
  });
  const lastRun = { started_at: '2026-01-02T03:04:05Z', completed_at: '2026-01-02T03:04:06Z', phase: 'Failed' };
  const hooks = [{ ...release.hooks[0], last_run: lastRun }];
  call.succeed({
    release: { ...release, hooks },
    passed: false,
    failure: { code: 'hook_failed', message: 'pod a failed' },
    logs: [{ pod: 'a', container: 'main', log: 'output' }],
  });
  t.is(await code, 1);
  t.is(
    stdout.text,
    `NAME: web
LAST DEPLOYED: Fri Jan  2 03:04:05 2026
NAMESPACE: shop
STATUS: deployed
REVISION: 2
DESCRIPTION: Upgrade complete
TEST SUITE:     a
Last Started:   Fri Jan  2 03:04:05 2026
Last Completed: Fri Jan  2 03:04:06 2026
Phase:          Failed

POD LOGS: a (main)
output
`,
  );
  t.regex(stderr.text, /Error: pod a failed \(hook_failed\)\n$/);
});

test('template sends values and prints the manifest, or parts of it', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const flags = [
    '--set',
    'a=1',
    '--no-hooks',
    '--skip-tests',
    '--include-crds',
    '--is-upgrade',
    '-s',
    'templates/b.yaml',
  ];
  const code = ctl('template', 'web', 'nginx', '--repo', 'https://charts.example', ...flags);
  const call = await puppets.call(0);
  t.is(call.type, 'template_release');
  t.deepEqual<unknown, unknown>(call.payload, {
    namespace: 'default',
    releaseName: 'web',
    chartName: 'nginx',
    repoUrl: 'https://charts.example',
    set: [{ kind: 'set', text: 'a=1' }],
    noHooks: true,
    skipTests: true,
    includeCrds: true,
    isUpgrade: true,
  });
  const part = (file: string) => `---\n# Source: nginx/templates/${file}\nkind: X\n`;
  call.succeed({ manifest: `${part('a.yaml')}${part('b.yaml')}` });
  t.is(await code, 0);
  t.is(stdout.text, `${part('b.yaml')}\n`);
});

test('diff prints a line for each object and field', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('diff', 'web', 'nginx', '--live', '--reuse-values');
  const call = await puppets.call(0);
  t.is(call.type, 'diff_release');
  t.like(call.payload, { against: 'live', reuseValues: true });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' };
  const fields = [
    { path: 'data.a', before: 'x\u001b', after: 'y' },
    { path: 'data.b', after: 1 },
  ];
  call.succeed({
    differences: [
      { change: 'changed', ...object, namespace: 'shop', fields },
      { change: 'added', ...object },
      { change: 'unknown', ...object, reason: 'conflict' },
    ],
    unchanged: 2,
  });
  t.is(await code, 0);
  t.is(
    stdout.text,
    `~ v1 ConfigMap shop/a
    data.a: "x\\u001b" -> "y"
    data.b: none -> 1
+ v1 ConfigMap a
? v1 ConfigMap a: conflict
3 differ, 2 unchanged
`,
  );
});

const sends = test.macro({
  title: (_, args: string) => `ctl ${args}`,
  async exec(t, args: string, type: CommandType, payload: object) {
    const { ctl, puppets } = await world(t);
    const code = ctl(...args.split(' '));
    const call = await puppets.call(0);
    t.is(call.type, type);
    const names = {
      namespace: 'default',
      releaseName: 'web',
      ...(type.startsWith('install') && { chartName: 'nginx' }),
    };
    t.deepEqual<unknown, unknown>(call.payload, { ...names, ...payload });
    call.succeed({ release });
    t.is(await code, 0);
  },
});

test('a dry run on the server shows the differences on stderr', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const code = ctl('upgrade', 'web', 'nginx', '--dry-run=server');
  const differences = [{ change: 'added', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }];
  (await puppets.call(0)).succeed({ release, differences });
  t.is(await code, 0);
  t.regex(stdout.text, /^Release "web" has been upgraded/);
  t.regex(stderr.text, /^\+ v1 ConfigMap shop\/a$/m);
});

test('an upgrade that changes nothing says which revision stays', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('upgrade', 'web', 'nginx', '--unchanged', 'skip', '-o', 'table');
  (await puppets.call(0)).succeed({ release, unchanged: true });
  t.is(await code, 0);
  t.regex(stdout.text, /^Nothing changes; revision 2 stays\.\nNAME: web\n/);
});

const planned = {
  plan: 'shop/web@3f9c2a7b81d4',
  digest: '3f9c2a7b81d4',
  expires: '2026-01-03T03:04:05.000Z',
  action: 'upgrade',
  revision: 3,
  base: { version: 2, status: 'deployed' },
  chart: 'nginx 1.2.3',
  crds: [],
  hooks: [{ event: 'pre-upgrade', weight: 1, kind: 'Job', name: 'j', path: 'p', deletePolicies: [] }],
  differences: [{ change: 'removed', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }],
  unchanged: 2,
};

test('plan sends what the command would send, and prints the plan', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('plan', 'upgrade', 'web', 'nginx', '--install', '-n', 'shop', '--set', 'a=1', '--no-hooks');
  const call = await puppets.call(0);
  t.is(call.type, 'plan_release');
  t.deepEqual<unknown, unknown>(call.payload, {
    action: 'install',
    upgrade: true,
    namespace: 'shop',
    releaseName: 'web',
    chartName: 'nginx',
    set: [{ kind: 'set', text: 'a=1' }],
    noHooks: true,
  });
  call.succeed(planned);
  t.is(await code, 0);
  t.is(
    stdout.text,
    `PLAN: shop/web@3f9c2a7b81d4
DIGEST: 3f9c2a7b81d4
ACTION: upgrade revision 3 with nginx 1.2.3; revision 2 is deployed
EXPIRES: 2026-01-03T03:04:05.000Z
- v1 ConfigMap shop/a
1 differ, 2 unchanged
HOOKS:
  pre-upgrade Job j (weight 1)
To apply it: helm-agent ctl apply-plan shop/web@3f9c2a7b81d4 --agent edge-1
`,
  );
});

const plans = test.macro({
  title: (_, args: string) => `plan ${args} plans that`,
  async exec(t, args: string, payload: object) {
    const { ctl, puppets, stdout } = await world(t);
    const code = ctl('plan', ...args.split(' '));
    const call = await puppets.call(0);
    t.is(call.type, 'plan_release');
    t.like(call.payload, payload);
    call.succeed(planned);
    t.is(await code, 0);
    if (args.includes('json')) t.like(JSON.parse(stdout.text), { plan: planned.plan });
  },
});
test(plans, 'install web nginx -o json', { action: 'install', chartName: 'nginx' });
test(plans, 'rollback web 2', { action: 'rollback', version: 2 });
test(plans, 'uninstall web --keep-history', { action: 'uninstall', keepHistory: true });
test(plans, 'uninstall web -o json', { action: 'uninstall' });
test(plans, 'rollback web --helm-defaults', { action: 'rollback', wait: 'hookOnly', settle: false });

test('apply-plan sends the id and prints the release', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('apply-plan', planned.plan);
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>([call.type, call.payload], ['apply_plan', { plan: planned.plan }]);
  call.succeed({ release });
  t.is(await code, 0);
  t.regex(stdout.text, /^NAME: +web\n/);
});

const helmDefaults = {
  timeoutScope: 'wait',
  wait: 'hookOnly',
  waitForJobs: false,
  settle: false,
  atomic: false,
  createNamespace: false,
  failFast: 'never',
};
test(sends, 'install web nginx --enable-dns --dependency-update', 'install_release', {
  enableDns: true,
  dependencyUpdate: true,
});
test(sends, 'install web nginx --helm-defaults', 'install_release', helmDefaults);
test(sends, 'install --wait --helm-defaults web nginx', 'install_release', { ...helmDefaults, wait: true });
test(sends, 'install web nginx --helm-defaults --rollback-on-failure', 'install_release', {
  ...helmDefaults,
  atomic: true,
});
test(sends, 'install web nginx --wait=legacy --rollback-on-failure=false', 'install_release', {
  wait: 'legacy',
  atomic: false,
});
test(sends, 'install web nginx --dry-run --hide-secret', 'install_release', { dryRun: 'client', hideSecret: true });
test(sends, 'install web nginx --upgrade --unchanged skip', 'install_release', { upgrade: true, unchanged: 'skip' });
test(sends, 'install web nginx --timeout-scope wait', 'install_release', { timeoutScope: 'wait' });
test(sends, 'install web nginx --hook-timeout 90s', 'install_release', { hookTimeout: 90_000 });
test(sends, 'install web nginx --step-timeout pre-hooks=30s,wait=2m', 'install_release', {
  stepTimeouts: { 'pre-hooks': 30_000, wait: 120_000 },
});
test(sends, 'uninstall web --step-timeout delete=30s', 'uninstall_release', { stepTimeouts: { delete: 30_000 } });
test(sends, 'install web nginx --storage chunked', 'install_release', { storage: 'chunked' });
test(sends, 'install web nginx --dry-run=none --replace', 'install_release', { replace: true });
test(sends, 'install --name-template w{{`eb`}} nginx --devel', 'install_release', { chartVersion: '>0.0.0-0' });
test(
  sends,
  'install web nginx -l a=1,b=2 --hide-notes --render-subchart-notes --skip-schema-validation',
  'install_release',
  { labels: { a: '1', b: '2' }, hideNotes: true, renderSubchartNotes: true, skipSchemaValidation: true },
);
test(sends, 'install web nginx --hide-notes -o yaml', 'install_release', {});
for (const [verb, type] of [
  ['install web nginx --upgrade', 'install_release'],
  ['rollback web', 'rollback_release'],
  ['uninstall web', 'uninstall_release'],
] as const) {
  test(sends, `${verb} --recover --recover-after 20m`, type, {
    ...(type === 'install_release' && { upgrade: true }),
    recover: true,
    recoverAfter: 1_200_000,
  });
}
test(sends, 'install web nginx --settle 10s', 'install_release', { settle: 10_000 });
test(sends, 'upgrade web nginx --progress-deadline 2m', 'upgrade_release', {
  chartName: 'nginx',
  progressDeadline: 120_000,
});
test(sends, 'rollback web --settle none', 'rollback_release', { settle: false });
test(sends, 'rollback web --helm-defaults', 'rollback_release', {
  timeoutScope: 'wait',
  wait: 'hookOnly',
  waitForJobs: false,
  settle: false,
  failFast: 'never',
});
test(sends, 'rollback web --fail-fast never --fail-grace 2m', 'rollback_release', {
  failFast: 'never',
  failGrace: 120_000,
});
test(sends, 'install web nginx --fail-fast crash_loop=transient,probe_failed=fatal', 'install_release', {
  failFast: { crash_loop: 'transient', probe_failed: 'fatal' },
});
test(sends, 'uninstall web --helm-defaults', 'uninstall_release', {
  timeoutScope: 'wait',
  wait: 'hookOnly',
});
test(
  sends,
  'delete web --keep-history --ignore-not-found --no-hooks --cascade foreground --dry-run --wait',
  'uninstall_release',
  { keepHistory: true, ignoreNotFound: true, noHooks: true, cascade: 'foreground', dryRun: true, wait: true },
);

test('install -g generates a name from the chart and the time', async (t) => {
  const { ctl, puppets } = await world(t);
  const code = ctl('install', '-g', 'oci://charts.example/shop.tgz');
  const call = await puppets.call(0);
  t.regex(String(call.payload.releaseName), /^shop-\d+$/);
  call.succeed({ release });
  t.is(await code, 0);
});

test('uninstall of several releases stops at the first that fails', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const code = ctl('uninstall', 'web', 'other', 'last');
  (await puppets.call(0)).succeed({ release });
  (await puppets.call(1)).fail(new Error('broken'));
  t.is(await code, 1);
  t.is(stdout.text, 'release "web" uninstalled\n');
  t.regex(stderr.text, /internal/);
  t.is(puppets.calls.length, 2);
});

const fails = test.macro({
  title: (_, args: string) => `ctl ${args} fails with helm's message, and nothing is sent`,
  async exec(t, args: string, message: string) {
    const { ctl, puppets, stderr } = await world(t);
    t.is(await ctl(...args.split(' ')), 1);
    t.is(stderr.text.replace(/Run '.*' for usage\.\n$/, ''), `Error: ${message}\n`);
    t.is(puppets.calls.length, 0);
  },
});

test(fails, 'install nginx', 'must either provide a name or specify --generate-name');
test(fails, 'install -g web nginx', 'cannot set --generate-name and also specify a name');
test(fails, 'install --name-template x web nginx', 'cannot set --name-template and also specify a name');
test(fails, 'plan rollback web --dry-run', 'leave out --dry-run: a plan changes nothing');
test(fails, 'plan uninstall web --dry-run', 'leave out --dry-run: a plan changes nothing');
test(fails, 'status web --watch -o yaml', '--watch shows a table or, with -o json, lines of JSON');
test(fails, 'install web nginx --unchanged x', '--unchanged must be "skip", not "x"');
test(fails, 'install web nginx --step-timeout wait', '--step-timeout must be STEP=DURATION, not "wait"');
test(fails, 'uninstall web --cascade x', 'invalid cascade value (x). Must be "background", "foreground", or "orphan"');
test(fails, 'rollback web --dry-run=x', 'invalid dry-run value ("x"). Must be "none", "server", or "client"');
test(
  fails,
  'install web nginx --wait=x',
  'invalid argument "x" for "--wait" flag: invalid wait input "x". Valid inputs are watcher, hookOnly, and legacy',
);
test(fails, 'install web nginx -l a', 'invalid argument "a" for "-l, --labels" flag: a must be formatted as key=value');

const adopted = [
  {
    name: 'web',
    namespace: 'shop',
    version: 1,
    info: { status: 'superseded' },
    chart: { metadata: { name: 'nginx', version: '1.0.0' } },
  },
  {
    name: 'web',
    namespace: 'shop',
    version: 2,
    info: { status: 'deployed' },
    chart: { metadata: { name: 'nginx', version: '1.1.0' } },
  },
];

const adopts = test.macro({
  title: (_, args: string) => `adopt ${args} sends adopt_release and prints the revisions`,
  async exec(t, args: string, payload: object, releases: object[], text: string) {
    const { ctl, puppets, stdout } = await world(t);
    const code = ctl('adopt', ...args.split(' '));
    const call = await puppets.call(0);
    t.deepEqual<unknown, unknown>([call.type, call.payload], ['adopt_release', payload]);
    call.succeed({ releases });
    t.is(await code, 0);
    t.is(stdout.text, text);
  },
});
test(
  adopts,
  'web --tiller-namespace tiller --history-max 0 --dry-run',
  { releaseName: 'web', namespace: 'default', tillerNamespace: 'tiller', historyLimit: -1, dryRun: true },
  adopted,
  'Would take over web of Helm 2, with the revisions:\n  1 superseded nginx-1.0.0\n  2 deployed nginx-1.1.0\n',
);
test(
  adopts,
  'web --storage chunked --timeout 1m',
  { releaseName: 'web', namespace: 'default', storage: 'chunked', timeout: 60_000 },
  adopted.slice(1),
  `Took over web of Helm 2, with the revisions:
  2 deployed nginx-1.1.0
Its objects are unchanged; the next upgrade adds the labels of Helm 3 to them.
Do not change it with helm 2 any more.
`,
);
test(
  adopts,
  'web',
  { releaseName: 'web', namespace: 'default' },
  [],
  'The revisions of web have been taken over before.\n',
);

test('list asks for the releases of Helm 2', async (t) => {
  const { ctl, puppets } = await world(t);
  const code = ctl('list', '--helm2', '--tiller-namespace', 'tiller');
  const call = await puppets.call(0);
  t.like(call.payload, { helm2: true, tillerNamespace: 'tiller' });
  call.succeed({ releases: adopted });
  t.is(await code, 0);
});

test('policy prints the policy of the agent, with its digest', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('policy');
  const call = await puppets.call(0);
  t.deepEqual<unknown, unknown>([call.type, call.payload], ['get_policy', {}]);
  call.succeed({ policy: 'rules: []\ndefault: deny\n', sha256: 'ab12' });
  t.is(await code, 0);
  t.is(stdout.text, '# sha256:ab12\nrules: []\ndefault: deny\n');
});

test('policy says that an agent has none', async (t) => {
  const { ctl, puppets, stdout } = await world(t);
  const code = ctl('policy');
  (await puppets.call(0)).succeed({});
  t.is(await code, 0);
  t.regex(stdout.text, /has no policy/);
});

test('top prints what pods and nodes use, as kubectl does', async (t) => {
  const { ctl, puppets, stdout, stderr } = await world(t);
  const mebibyte = 2 ** 20;
  const pod = {
    ...{ namespace: 'shop', name: 'web-0\u001b[2J', millicores: 252 },
    containers: [
      { name: 'app', millicores: 250, memoryBytes: 64 * mebibyte },
      { name: 'side', millicores: 2 },
    ],
  };
  const pods = ctl('top', '-n', 'shop', '--release', 'web', '--sort-by', 'cpu', '--containers');
  const call = await puppets.call(0);
  t.is(call.type, 'top');
  const payload = { namespace: 'shop', releaseName: 'web', sortBy: 'cpu', max: 1000 };
  t.deepEqual<unknown, unknown>(call.payload, payload);
  call.succeed({ usage: [pod], omitted: 2, missing: ['Pod web-1 has no metrics yet'] });
  t.is(await pods, 0);
  t.is(
    stdout.text,
    [
      'NAMESPACE  POD        NAME  CPU(cores)  MEMORY(bytes)',
      'shop       web-0�[2J  app   250m        64Mi',
      'shop       web-0�[2J  side  2m          <unknown>',
      '',
    ].join('\n'),
  );
  t.is(stderr.text, 'left out: Pod web-1 has no metrics yet\n2 more are left out; --max shows more\n');
  stdout.text = '';
  const nodes = ctl('top', 'nodes');
  const second = await puppets.call(1);
  t.deepEqual<unknown, unknown>(second.payload, { kind: 'nodes', max: 1000 });
  const allocatable = { millicores: 4000, memoryBytes: 1024 * mebibyte };
  second.succeed({ usage: [{ name: 'a', millicores: 1000, memoryBytes: 256 * mebibyte, allocatable }, { name: 'b' }] });
  t.is(await nodes, 0);
  t.regex(stdout.text, /^a +1000m +25% +256Mi +25%$/m);
  t.regex(stdout.text, /^b +<unknown> +<unknown>/m);
  const ofRelease = ctl('top', '--release', 'web');
  const third = await puppets.call(2);
  t.deepEqual<unknown, unknown>(third.payload, { namespace: 'default', releaseName: 'web', max: 1000 });
  third.succeed({ usage: [] });
  t.is(await ofRelease, 0);
  stderr.text = '';
  t.is(await ctl('top', 'things'), 1);
  t.is(stderr.text, 'Error: kind must be one of pods, pod, po, nodes, node, no\n');
  t.is(puppets.calls.length, 3);
});

for (const args of [
  ['scale', 'deploy', 'web', '5'],
  ['scale', 'deploy/web', '5'],
]) {
  test(`${args.join(' ')} names a kind and an object`, async (t) => {
    const { ctl, puppets } = await world(t);
    const code = ctl(...args);
    const call = await puppets.call(0);
    t.deepEqual<unknown, unknown>(call.payload, { namespace: 'default', kind: 'deploy', name: 'web', replicas: 5 });
    call.succeed({ changes: [] });
    t.is(await code, 0);
  });
}

for (const args of [['deploy'], ['/web'], ['deploy/'], ['a/b/c'], ['deploy/web', 'other']]) {
  test(`restart ${args.join(' ')} is refused, and nothing is sent`, async (t) => {
    const { ctl, puppets, stderr } = await world(t);
    t.is(await ctl('restart', ...args), 1);
    t.regex(stderr.text, /^Error: "helm-agent ctl restart" requires 2 arguments\n\nUsage: {2}helm-agent ctl restart/);
    t.is(puppets.calls.length, 0);
  });
}

for (const [verb = '', given = '', name] of [
  ['pause', 'deploy/web', 'web'],
  ['resume', 'Deployment.apps/web', 'web'],
  ['run-job', 'cronjob/backup', 'backup'],
  ['delete-pod', 'pod/web-0', 'web-0'],
]) {
  test(`${verb} ${given} names an object by its kind, too`, async (t) => {
    const { ctl, puppets } = await world(t);
    const code = ctl(verb, given);
    const call = await puppets.call(0);
    t.deepEqual<unknown, unknown>(call.payload, { namespace: 'default', name });
    call.succeed({ changes: [] });
    t.is(await code, 0);
  });
}

for (const [verb = '', given = '', error = ''] of [
  ['pause', 'sts/web', 'pause needs a DEPLOYMENT: NAME or deploy/NAME, not "sts/web"'],
  [
    'pause',
    'rollout/web',
    'pause needs a DEPLOYMENT: NAME or deploy/NAME, not "rollout/web"; ctl rollout is for rollouts to many clusters',
  ],
  ['resume', 'deploy/', 'resume needs a DEPLOYMENT: NAME or deploy/NAME, not "deploy/"'],
  ['run-job', 'cj/a/b', 'run-job needs a CRONJOB: NAME or cj/NAME, not "cj/a/b"'],
  ['delete-pod', '/web-0', 'delete-pod needs a POD: NAME or po/NAME, not "/web-0"'],
]) {
  test(`${verb} ${given} is refused, and nothing is sent`, async (t) => {
    const { ctl, puppets, stderr } = await world(t);
    t.is(await ctl(verb, given), 1);
    t.is(stderr.text, `Error: ${error}\n`);
    t.is(puppets.calls.length, 0);
  });
}
