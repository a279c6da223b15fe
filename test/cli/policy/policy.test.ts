import test from 'ava';
import { createSigstore, testIssuer } from '../../source/verification/test-sigstore.ts';
import { testProgram } from '../support/program.ts';

const examples = new URL('../../../examples/charts/', import.meta.url).pathname;

const policy = `rules:
  - name: shop
    namespaces: [shop]
    commands: [deploy]
    callers: [ci]
    charts: ['oci://registry.example.com/*', 'upload:*']
    images: ['registry.example.com/*']
    windows: [{ from: '22:00', to: '04:00' }]
default: deny
`;

const night = ['--caller', 'ci', '--at', '2026-03-04T23:00:00Z'];
const install = ['install', 'web', 'oci://registry.example.com/web', '--namespace', 'shop'];

async function check(text: string, args: readonly string[], manifest = '') {
  const { run, stdout, stderr } = testProgram({ files: { 'policy.yaml': text, 'manifest.yaml': manifest } });
  return { code: await run('policy', 'check', 'policy.yaml', ...args), stdout: stdout.text, stderr: stderr.text };
}

test('a correct policy is said to be correct', async (t) => {
  const { code, stdout } = await check(policy, []);
  t.is(code, 0);
  t.regex(stdout, /is correct; it has 1 rules/);
});

test('a wrong policy is an error with its place', async (t) => {
  const { code, stderr } = await check(policy.replace('images', 'image'), []);
  t.is(code, 1);
  t.regex(stderr, /policy\.yaml: rules\[0\]: .*image/);
});

test('a command that the policy allows names its rule', async (t) => {
  const { code, stdout } = await check(policy, [...night, '--', ...install]);
  t.is(code, 0);
  t.is(stdout, 'allowed by rule shop\n');
});

const refusals = test.macro(async (t, args: string[], message: RegExp, manifest?: string) => {
  const { code, stderr, stdout } = await check(policy, args, manifest);
  t.is(code, 3, stderr);
  t.is(stdout, '');
  t.regex(stderr, message);
});

test('a command of another caller is refused', refusals, ['--', ...install], /no rule of the policy is for/);
test(
  'a command outside of the window is refused',
  refusals,
  ['--caller', 'ci', '--at', '2026-03-04T12:00:00Z', '--', ...install],
  /windows: /,
);
test(
  'a command in another namespace is refused',
  refusals,
  [...night, '--', 'uninstall', 'web', '--namespace', 'other'],
  /no rule of the policy is for uninstall_release on the release web in the namespace other/,
);
test(
  'a chart of another registry is refused',
  refusals,
  [...night, '--', 'upgrade', 'web', 'oci://other.example.com/web', '--namespace', 'shop'],
  /charts: "oci:\/\/other\.example\.com\/web"/,
);
test(
  'a manifest with another image is refused',
  refusals,
  [...night, '--manifest', 'manifest.yaml', '--', ...install],
  /images: "docker\.io\/a" of Pod a/,
  'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ name: a, image: docker.io/a }] }\n',
);

test('a chart of this machine is an upload', async (t) => {
  const { code, stderr } = await check(policy, [...night, '--', 'install', 'web', `${examples}web`, '-n', 'shop']);
  t.is(code, 0, stderr);
});

test('a command line that is wrong is an error, and not a refusal', async (t) => {
  const { code, stderr } = await check(policy, [...night, '--', 'install', 'web']);
  t.is(code, 1);
  t.regex(stderr, /must either provide a name/);
});

test('a command that sends nothing is an error', async (t) => {
  const { code } = await check(policy, [...night, '--', 'agents']);
  t.is(code, 1);
});

test('a wrong time is an error', async (t) => {
  const { code, stderr } = await check(policy, ['--at', 'tomorrow', '--', ...install]);
  t.is(code, 1);
  t.regex(stderr, /--at: "tomorrow" is not a time/);
});

const conditions = `rules:
  - name: closed
    namespaces: [kube-*]
    deny: not here
  - name: shop
    callers: [ci]
    charts: ['oci://registry.example.com/*']
    images: ['registry.example.com/*']
    conditions:
      - expression: release.name != 'db'
        message: the database has its own team
      - expression: object.kind != 'Pod'
default: deny
`;

async function runPolicy(args: readonly string[], files: Record<string, string> = {}) {
  const { run, stdout, stderr } = testProgram({ files: { 'policy.yaml': conditions, ...files } });
  return { code: await run('policy', ...args), stdout: stdout.text, stderr: stderr.text };
}

test('explain shows the rules before, the rule that decides, and each limit', async (t) => {
  const { code, stdout } = await runPolicy(['explain', 'policy.yaml', '--caller', 'ci', '--', ...install]);
  t.is(code, 0);
  t.is(
    stdout,
    [
      ...['rule closed is not for it: namespaces', 'rule shop decides', '  ok  charts', '  ok  images'],
      ...["  ok  conditions[0] (release.name != 'db')", 'allowed', ''],
    ].join('\n'),
  );
});

test('explain shows each limit that refuses, for the command and for its objects', async (t) => {
  const manifest =
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ name: a, image: docker.io/a }] }\n';
  const words = ['upgrade', 'db', 'oci://other.example.com/web', '--namespace', 'shop'];
  const args = ['explain', 'policy.yaml', '--caller', 'ci', '--manifest', 'manifest.yaml', '--', ...words];
  const { code, stdout } = await runPolicy(args, { 'manifest.yaml': manifest });
  t.is(code, 3);
  t.is(
    stdout,
    [
      ...['rule closed is not for it: namespaces', 'rule shop decides', '  no  charts', '  no  images'],
      ...["  no  conditions[0] (release.name != 'db')", "  no  conditions[1] for Pod a (object.kind != 'Pod')"],
      'refused: rule shop of the policy does not allow it: charts: "oci://other.example.com/web"\n',
    ].join('\n'),
  );
});

test('explain shows that no rule is for a command', async (t) => {
  const { code, stdout } = await runPolicy(['explain', 'policy.yaml', '--', ...install]);
  t.is(code, 3);
  t.regex(
    stdout,
    /rule closed is not for it: namespaces\nrule shop is not for it: callers\nthe default .* decides\nrefused: no rule/,
  );
});

test('check refuses by a condition, and names a wrong one with its place', async (t) => {
  const words = ['--', 'upgrade', 'db', 'oci://registry.example.com/web', '--namespace', 'shop'];
  const refused = await runPolicy(['check', 'policy.yaml', '--caller', 'ci', ...words]);
  t.is(refused.code, 3);
  t.regex(refused.stderr, /rule shop .*: conditions\[0\]: the database has its own team/);
  const wrong = await runPolicy(['check', 'policy.yaml'], {
    'policy.yaml': conditions.replace('object.kind', 'objekt.kind'),
  });
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /policy\.yaml: rules\[1\]\.conditions\[1\]\.expression of the rule shop: 1:1: objekt is not/);
});

test('replay says what a policy would have decided about each command', async (t) => {
  const install = {
    type: 'install_release',
    payload: { namespace: 'shop', releaseName: 'web', chartName: 'oci://registry.example.com/web' },
  };
  const lines = [
    { key: 'a', ...install, sentBy: 'ci' },
    { key: 'b', ...install, payload: JSON.stringify(install.payload), at: '2026-03-04T23:00:00Z' },
    { type: 'list_releases', payload: {}, sentBy: 'ci' },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { code, stdout } = await runPolicy(['replay', 'policy.yaml', 'commands.jsonl'], { 'commands.jsonl': text });
  t.is(code, 3);
  t.regex(
    stdout,
    /^1 a install_release: allowed by rule shop\n2 b install_release: refused: no rule .*\n3 list_releases: /,
  );
  t.regex(stdout, /\n2 allowed, 1 refused\n$/);
});

for (const [what, line, message] of [
  ['no JSON', '{', /commands:1: /],
  ['a command that does not exist', '{"type":"nothing"}', /commands:1: .*nothing/],
  ['a wrong payload', '{"type":"install_release","payload":{"releaseName":1}}', /commands:1: releaseName: /],
  ['a wrong time', '{"type":"list_releases","at":"yesterday"}', /commands:1: at: /],
] as const) {
  test(`replay of ${what} is an error with its place`, async (t) => {
    const { code, stderr } = await runPolicy(['replay', 'policy.yaml', 'commands'], { commands: `${line}\n` });
    t.is(code, 1);
    t.regex(stderr, message);
  });
}

test('explain and check use mirrors, and say what they replace and who must have signed', async (t) => {
  const keys = 'chartKeys: [{ name: vendor, keyring: AAAA }]\n';
  const text = `${keys}mirrors:
  charts: [{ from: 'oci://ghcr.io/vendor', to: 'oci://registry.internal/vendor' }]
  images: [{ from: docker.io, to: registry.internal/hub }]
rules:
  - { name: a, charts: ['oci://ghcr.io/vendor/*'], images: ['registry.internal/*'], verify: {} }
default: deny
`;
  const files = {
    'policy.yaml': text,
    'pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ name: a, image: nginx }] }\n',
  };
  const words = ['policy.yaml', '--manifest', 'pod.yaml', '--', 'install', 'web', 'oci://ghcr.io/vendor/web'];
  const explained = await runPolicy(['explain', ...words], files);
  t.is(explained.code, 0, explained.stderr);
  t.deepEqual(explained.stdout.split('\n'), [
    'the chart comes from oci://registry.internal/vendor/web',
    'the image nginx comes from registry.internal/hub/library/nginx',
    'rule a decides',
    '  ok  charts',
    '  ok  images',
    '  ok  verify: the chart must be signed by vendor',
    'allowed',
    '',
  ]);
  t.is((await runPolicy(['check', ...words], files)).code, 0);
  const keyless = {
    issuer: testIssuer,
    identity: 'https://github.com/acme/*',
    trustedRoot: createSigstore().trustedRoot,
  };
  const withIdentity = text.replace('keyring: AAAA', `keyless: ${JSON.stringify(keyless)}`);
  const byIdentity = await runPolicy(['explain', ...words], { ...files, 'policy.yaml': withIdentity });
  t.regex(
    byIdentity.stdout,
    /must be signed by vendor \(https:\/\/github\.com\/acme\/\*, checked by https:\/\/token\.actions\.githubusercontent\.com\)\n/,
  );
  const without = { ...files, 'policy.yaml': text.replace('images: [{', 'images: [] #') };
  const refused = await runPolicy(['check', ...words], without);
  t.is(refused.code, 3);
  t.regex(refused.stderr, /images: "nginx" of Pod a/);
});
