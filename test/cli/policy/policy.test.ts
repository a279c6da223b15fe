import test from 'ava';
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
