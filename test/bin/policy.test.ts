import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { crashWorld, kill } from './support/crash-world.ts';
import { type FaultyWorld, faultyWorld } from './support/faulty-world.ts';
import { agentId, answerOf, failureOf, waiting } from './support/world.ts';

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Thing, plural: things, singular: thing, listKind: ThingList }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;

const configMap = (metadata: string) => `{apiVersion: v1, kind: ConfigMap, metadata: ${metadata}}\n`;
const job = (name: string, hook: string, image: string) => `apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, annotations: { helm.sh/hook: ${hook} } }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: ${image} }] } } }
`;

const good = 'registry.example.com/app:1';

/** Charts by name, and the files of their templates; `crds` is a folder of its own. */
const charts: Record<string, Record<string, string>> = {
  app: {
    'a.yaml': `${configMap('{name: config}')}---\napiVersion: v1\nkind: Pod\nmetadata: { name: app }\nspec: { containers: [{ name: a, image: {{ .Values.image }} }] }\n`,
  },
  'crd-and-role': {
    '../crds/crd.yaml': crd,
    'a.yaml': `${configMap('{name: a}')}---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}\n`,
  },
  'hook-image': { 'a.yaml': configMap('{name: a}'), 'b.yaml': job('before', 'pre-install', 'docker.io/evil') },
  'delete-hook': { 'a.yaml': configMap('{name: a}'), 'b.yaml': job('before', 'pre-delete', 'docker.io/evil') },
  looks: {
    'a.yaml': configMap('{name: a, annotations: {b: {{ lookup "v1" "ConfigMap" "shop" "b" | toJson | quote }}}}'),
  },
  elsewhere: { 'a.yaml': configMap('{name: a}'), 'b.yaml': configMap('{name: b, namespace: other}') },
};

function writeChart(folder: string, name: string, files: Record<string, string>): void {
  const chart = join(folder, name);
  for (const part of ['templates', 'crds']) mkdirSync(join(chart, part), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(chart, 'values.yaml'), `image: ${good}\n`);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(chart, 'templates', file), text);
}

interface PolicyWorld extends FaultyWorld {
  file: string;
}

const strict = `rules:
  - name: strict
    commands: [deploy, read]
    charts: ['local:*']
    images: ['registry.example.com/*']
    objectNamespaces: [release]
    deniedKinds: ['*.rbac.authorization.k8s.io', Namespace]
default: deny
`;

async function policyWorld(t: ExecutionContext, policy = strict): Promise<PolicyWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'policy-world-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, policy);
  const world = await faultyWorld(t, {
    random: () => 0.5,
    setup: { policyFile: file },
    writeCharts(target) {
      for (const [name, files] of Object.entries(charts)) writeChart(target, name, files);
      return Promise.resolve();
    },
  });
  for (const name of ['shop', 'other']) {
    await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  return { ...world, file };
}

const release = { namespace: 'shop', releaseName: 'web' };
const install = (chartName: string, values = '') => ({ ...release, chartName, values, timeout: '2m' as const });

/** The requests that would change something outside of the namespace of the agent. */
const changes = (requests: readonly string[]) =>
  requests.filter((line) => /^(?:POST|PUT|PATCH|DELETE) /.test(line) && !line.includes('/namespaces/default/'));

const refusedCharts: Record<string, RegExp> = {
  'crd-and-role': /deniedKinds: ClusterRole a/,
  'hook-image': /images: "docker\.io\/evil" of Job before/,
  elsewhere: /objectNamespaces: ConfigMap b in other/,
};

for (const [name, message] of Object.entries(refusedCharts)) {
  test(`the chart ${name} is refused before anything changes`, async (t) => {
    const { plane, api } = await policyWorld(t);
    const before = api.requests.length;
    const failure = await failureOf(plane.install(agentId, install(name)));
    t.is(failure.code, 'denied_by_policy');
    t.regex(failure.message, message);
    t.regex(failure.message, /rule strict of the policy/);
    t.deepEqual(changes(api.requests.slice(before)), []);
    const preview = await failureOf(plane.plan(agentId, { action: 'install', ...install(name) }));
    t.is(preview.code, 'denied_by_policy');
  });
}

test('an upgrade to another image is refused, and leaves the release as it is', async (t) => {
  const { plane, api } = await policyWorld(t);
  await answerOf(plane.install(agentId, install('app')));
  const before = api.requests.length;
  const failure = await failureOf(plane.upgrade(agentId, install('app', 'image: docker.io/evil')));
  t.is(failure.code, 'denied_by_policy');
  t.deepEqual(changes(api.requests.slice(before)), []);
  const { releases } = await answerOf(plane.history(agentId, release));
  t.deepEqual(
    releases.map(({ version, info }) => [version, info.status]),
    [[1, 'deployed']],
  );
});

test('a rollback to an image that is no longer allowed is refused', async (t) => {
  const { plane, api, file } = await policyWorld(t);
  await answerOf(plane.install(agentId, install('app')));
  await answerOf(plane.upgrade(agentId, install('app', 'image: registry.example.com/app:2')));
  writeFileSync(file, strict.replace('registry.example.com/*', 'registry.example.com/app:2'));
  const before = api.requests.length;
  const failure = await failureOf(plane.rollback(agentId, release));
  t.regex(failure.message, /images: "registry\.example\.com\/app:1"/);
  t.deepEqual(changes(api.requests.slice(before)), []);
});

test('an uninstallation whose hook is not allowed deletes nothing', async (t) => {
  const { plane, api, file } = await policyWorld(t);
  writeFileSync(file, 'rules: []\ndefault: allow\n');
  await answerOf(plane.install(agentId, install('delete-hook')));
  writeFileSync(file, strict);
  const before = api.requests.length;
  t.is((await failureOf(plane.uninstall(agentId, release))).code, 'denied_by_policy');
  t.deepEqual(changes(api.requests.slice(before)), []);
  await answerOf(plane.uninstall(agentId, { ...release, noHooks: true }));
});

test('a plan that was allowed is refused if its chart or its objects no longer are', async (t) => {
  const { plane, api, file } = await policyWorld(t);
  const { plan } = await answerOf(plane.plan(agentId, { action: 'install', ...install('app') }));
  const refusals: [string, RegExp][] = [
    [strict.replace('local:*', 'local:other'), /charts: "local:app"/],
    [strict.replace("['local:*']", "['local:*']\n    versions: '>=2'"), /versions: version 1\.0\.0/],
    [strict.replace('registry.example.com/*', 'other/*'), /images: /],
    [strict.replace('[deploy, read]', '[read, plan_release]'), /no rule of the policy is for apply_plan/],
  ];
  for (const [policy, message] of refusals) {
    writeFileSync(file, policy);
    const before = api.requests.length;
    const failure = await failureOf(plane.applyPlan(agentId, { plan }));
    t.is(failure.code, 'denied_by_policy');
    t.regex(failure.message, message);
    t.deepEqual(changes(api.requests.slice(before)), []);
  }
  writeFileSync(file, strict);
  await answerOf(plane.applyPlan(agentId, { plan }));
});

/** The policy {@link strict} with sizes. */
const sized = (sizes: string) => strict.replace('default:', `    sizes: ${sizes}\ndefault:`);

test('charts, values and objects that are too large are refused before anything changes', async (t) => {
  const { plane, api, file } = await policyWorld(t);
  const refusals: [string, RegExp][] = [
    ['{ objects: 1 }', /sizes\.objects: 2 objects, and at most 1/],
    ['{ object: 250 }', /sizes\.object: Pod app has more than 250 bytes/],
    ['{ allObjects: 400 }', /sizes\.allObjects/],
    ['{ chart: 200 }', /sizes\.chart/],
    ['{ values: 30 }', /sizes\.values/],
  ];
  const command = install('app', 'image: registry.example.com/app:2');
  const { plan } = await answerOf(plane.plan(agentId, { action: 'install', ...command }));
  for (const [sizes, message] of refusals) {
    writeFileSync(file, sized(sizes));
    const before = api.requests.length;
    const sent = [
      plane.install(agentId, command),
      plane.applyPlan(agentId, { plan }),
      plane.plan(agentId, { action: 'install', ...command }),
    ];
    for (const one of sent) {
      const failure = await failureOf(one);
      t.is(failure.code, 'denied_by_policy', failure.message);
      t.regex(failure.message, message);
    }
    t.deepEqual(changes(api.requests.slice(before)), []);
  }
  writeFileSync(file, sized('{ objects: 2, object: 500, allObjects: 1Ki, chart: 1Ki, values: 100 }'));
  await answerOf(plane.applyPlan(agentId, { plan }));
  const kept = { ...install('app'), values: '', reuseValues: true, description: 'again' };
  writeFileSync(file, sized('{ values: 30 }'));
  t.regex((await failureOf(plane.upgrade(agentId, kept))).message, /sizes\.values/, 'values that are kept count');
  writeFileSync(file, sized('{ objects: 1, object: 10, allObjects: 10, chart: 10 }'));
  await answerOf(plane.uninstall(agentId, release));
});

test('hooks and CRDs count as objects', async (t) => {
  const { plane, file } = await policyWorld(t);
  for (const chart of ['hook-image', 'crd-and-role']) {
    const all = chart === 'hook-image' ? 2 : 3;
    const rule = (objects: number) => `rules: [{ name: all, sizes: { objects: ${objects} } }]\ndefault: deny\n`;
    writeFileSync(file, rule(all - 1));
    const failure = await failureOf(plane.install(agentId, { ...install(chart), noHooks: false }));
    t.regex(failure.message, new RegExp(`sizes\\.objects: ${all} objects`));
    writeFileSync(file, rule(all));
    await answerOf(plane.plan(agentId, { action: 'install', ...install(chart) }));
  }
});

test('a plan reads no more for a chart than its command may', async (t) => {
  const rules = (limits: string) =>
    `rules:\n  - { name: see, commands: [read] }\n  - { name: ship, commands: [deploy], ${limits} }\ndefault: deny\n`;
  const { plane, file } = await policyWorld(t);
  for (const [limits, message] of [
    ['lookup: none', /rule ship .*lookup: ConfigMap/],
    ['deniedReadKinds: [ConfigMap]', /rule ship .*deniedReadKinds: ConfigMap/],
  ] as const) {
    writeFileSync(file, rules(limits));
    const failure = await failureOf(plane.plan(agentId, { action: 'install', ...install('looks') }));
    t.is(failure.code, 'denied_by_policy', failure.message);
    t.regex(failure.message, message);
  }
  writeFileSync(file, rules('lookup: release'));
  await answerOf(plane.plan(agentId, { action: 'install', ...install('looks') }));
});

test('a plan does not help around a rule that refuses its command, or around conditions on its options', async (t) => {
  const { plane, api, cluster, file } = await policyWorld(t);
  await answerOf(plane.install(agentId, install('app')));
  const uninstalled = await answerOf(plane.plan(agentId, { action: 'uninstall', ...release }));
  const forced = await answerOf(
    plane.plan(agentId, { action: 'upgrade', ...install('app'), forceReplace: true, serverSide: false }),
  );
  const data = { image: Buffer.from('registry.example.com/app:3').toString('base64') };
  await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'image', namespace: 'shop' }, data });
  const valuesFrom = [{ kind: 'Secret' as const, name: 'image', key: 'image', targetPath: 'image' }];
  const filled = await answerOf(
    plane.plan(agentId, { action: 'upgrade', ...install('app', 'tier: gold'), valuesFrom }),
  );
  const limitedBy = (expression: string) => `  - { name: all, conditions: [{ expression: '${expression}' }] }`;
  const only = (plan: string) => plane.applyPlan(agentId, { plan });
  const refusals: [string, string, RegExp][] = [
    [
      uninstalled.plan,
      '  - { name: kept, commands: [uninstall_release], deny: by hand }\n  - { name: all }',
      /rule kept .*: by hand/,
    ],
    [
      forced.plan,
      "  - { name: all, conditions: [{ expression: '!has(command.payload.forceReplace)', message: no force }] }",
      /rule all .*conditions\[0\]: no force/,
    ],
    [
      forced.plan,
      `  - { name: all, conditions: [{ expression: 'command.type != "upgrade_release"', message: no upgrade }] }`,
      /no upgrade/,
    ],
    [filled.plan, limitedBy('!command.payload.values.contains("gold")'), /rule all .*conditions\[0\]/],
    [filled.plan, limitedBy('!has(command.payload.valuesFrom)'), /rule all .*conditions\[0\]/],
    [filled.plan, limitedBy('!has(command.payload.chartName)'), /rule all .*conditions\[0\]/],
    [filled.plan, '  - { name: all, valuesFrom: [Secret/other] }', /rule all .*valuesFrom: Secret\/image/],
  ];
  for (const [plan, rules, message] of refusals) {
    writeFileSync(file, `rules:\n${rules}\ndefault: allow\n`);
    const before = api.requests.length;
    const failure = await failureOf(only(plan));
    t.is(failure.code, 'denied_by_policy', failure.message);
    t.regex(failure.message, message);
    t.deepEqual(changes(api.requests.slice(before)), []);
  }
  writeFileSync(file, 'rules: [{ name: kept, commands: [uninstall_release], deny: by hand }]\ndefault: allow\n');
  t.regex((await failureOf(only(uninstalled.plan))).message, /by hand/, 'also by the default');
});

const holding: Record<string, [policy: string, reason: RegExp]> = {
  'pauses it': [`paused: audit until Friday\n${strict}`, /audit until Friday/],
  'pins its version': [
    strict.replace("['local:*']", "['local:*']\n    versions: '<1.0.0'"),
    /versions: version 1\.0\.0/,
  ],
};

for (const [owner, [policy, reason]] of Object.entries(holding)) {
  test(`a rollout leaves a cluster as it is while its owner ${owner}, and updates it afterwards`, async (t) => {
    const { plane, api, file } = await policyWorld(t);
    await answerOf(plane.install(agentId, install('app')));
    writeFileSync(file, policy);
    const before = api.requests.length;
    const payload = install('app', 'image: registry.example.com/app:2');
    await plane.rollouts.start({ id: 'app-2', agents: [agentId], payload, soak: false });
    const stage = async (wanted: string) => {
      for await (const { type } of plane.rollouts.events('app-2', undefined, AbortSignal.timeout(50_000))) {
        const [cluster] = type === 'cluster' ? plane.rollouts.clusters('app-2') : [];
        if (cluster?.stage === wanted) return cluster;
      }
      throw new Error(`the cluster is not ${wanted}`);
    };
    const held = await stage('held');
    t.is(held.failure?.code, 'denied_by_policy');
    t.regex(held.failure?.message ?? '', reason);
    t.deepEqual(changes(api.requests.slice(before)), []);
    t.is((await answerOf(plane.history(agentId, release))).releases.length, 1);
    writeFileSync(file, strict);
    await plane.rollouts.retry('app-2');
    t.is((await stage('updated')).revision, 2);
    t.is((await answerOf(plane.history(agentId, release))).releases.length, 2);
  });
}

test('a chart is refused before it is fetched', async (t) => {
  const { plane } = await policyWorld(t);
  const refused = ['oci://127.0.0.1:9/charts/web', 'http://127.0.0.1:9/web-1.0.0.tgz'];
  for (const chartName of refused) {
    const failure = await failureOf(plane.install(agentId, install(chartName)));
    t.is(failure.code, 'denied_by_policy', 'and not repository_failed');
    t.is((await failureOf(plane.template(agentId, { ...release, chartName }))).code, 'denied_by_policy');
  }
});

test('the control plane sees the policy in force, and cannot change it', async (t) => {
  const { plane, file } = await policyWorld(t);
  const shown = await answerOf(plane.getPolicy(agentId, {}));
  t.is(shown.policy, strict);
  t.regex(shown.sha256 ?? '', /^[0-9a-f]{64}$/);
  writeFileSync(file, `paused: audit\n${strict}`);
  t.like(await answerOf(plane.getPolicy(agentId, {})), { paused: 'audit' });
  writeFileSync(file, 'rules: []\ndefault: deny\n');
  t.is((await failureOf(plane.getPolicy(agentId, {}))).code, 'denied_by_policy');
});

test('a wrong policy refuses new commands until it is corrected', async (t) => {
  const { plane, file } = await policyWorld(t);
  writeFileSync(file, 'rules: [{ name: a, kinds: Secret }]\ndefault: deny\n');
  const failure = await failureOf(plane.list(agentId, {}));
  t.is(failure.code, 'policy_invalid');
  t.regex(failure.message, /rules\[0\]\.kinds/);
  writeFileSync(file, strict);
  await answerOf(plane.list(agentId, {}));
});

test('the log says which rule has allowed a command, and why another was refused', async (t) => {
  const { plane, lines } = await policyWorld(t);
  await answerOf(plane.install(agentId, install('app')));
  await failureOf(plane.install(agentId, { ...install('elsewhere'), releaseName: 'other' }));
  const logged = lines.map(
    (line) => JSON.parse(line) as { msg: string; rule?: string; code?: string; reason?: string },
  );
  t.true(logged.some(({ msg, rule }) => msg === 'command accepted' && rule === 'strict'));
  const refusal = logged.find(({ code }) => code === 'denied_by_policy');
  t.is(refusal?.reason, 'rule strict of the policy does not allow it: objectNamespaces');
});

test('a command that is continued after SIGKILL is within the policy as it is then, and may leave its window', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'policy-resumed-'));
  const file = join(folder, 'policy.yaml');
  writeFileSync(file, 'rules: []\ndefault: allow\n');
  const world = await crashWorld({ args: ['--policy-file', file] });
  t.teardown(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  const { plane } = world;
  const first = await world.start();
  const slow = { releaseName: 'web', chartName: 'web', values: 'args: [serve, -after, 20s]' };
  const [kept, refused] = ['shop', 'gone'].map((namespace) => plane.install(agentId, { ...slow, namespace }));
  if (kept === undefined || refused === undefined) throw new Error('two commands');
  await Promise.all([waiting(kept), waiting(refused)]);
  await kill(world, first);
  const hour = new Date().getUTCHours();
  const closed = `{ from: '${String((hour + 2) % 24).padStart(2, '0')}:00', to: '${String((hour + 3) % 24).padStart(2, '0')}:00' }`;
  writeFileSync(
    file,
    `rules:\n  - { name: shop, namespaces: [shop], windows: [${closed}] }\n  - { name: gone, namespaces: [gone], deny: closed }\ndefault: deny\n`,
  );
  await world.start();
  const { release: installed } = await answerOf(kept);
  t.is(installed.info.status, 'deployed');
  const { code, message } = await failureOf(refused);
  t.is(code, 'denied_by_policy');
  t.regex(message, /rule gone of the policy refuses it: closed/);
});
