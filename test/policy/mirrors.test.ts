import test from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';

const policyOf = (mirrors: string, rest = '') => `mirrors: ${mirrors}\n${rest}rules: [{ name: a }]\ndefault: deny\n`;
const wrong = test.macro((t, text: string, message: RegExp) => {
  t.throws(() => readPolicy(text), { message });
});
const chart = (from: string, to: string) => policyOf(`{ charts: [{ from: '${from}', to: '${to}' }] }`);
const image = (from: string, to: string) => policyOf(`{ images: [{ from: '${from}', to: '${to}' }] }`);

test('a mirror of charts needs URLs', wrong, chart('charts.example.com', 'https://a.b'), /charts\[0\]\.from: must be/);
test('a mirror of charts has no user', wrong, chart('https://a.b', 'https://x:y@c.d'), /charts\[0\]\.to: must be/);
test('registries are not repositories', wrong, chart('oci://a.b', 'https://c.d'), /both be oci:\/\/, or neither/);
test('a mirror is not below itself', wrong, chart('https://a.b', 'http://a.b/c'), /would be replaced again/);
test('a mirror of images needs a host', wrong, image('team', 'c.d'), /images\[0\]\.from: must be the host/);
test('a mirror of images has no pattern', wrong, image('ghcr.io/*', 'c.d'), /images\[0\]\.from: must be the host/);
test('a mirror of images has no tag', wrong, image('ghcr.io/a:1', 'c.d/a'), /images\[0\]\.from: must be the host/);
test('a path is replaced by a path', wrong, image('ghcr.io/a', 'c.d'), /to must have a path/);
test('a mirror of images is not below itself', wrong, image('docker.io', 'index.docker.io/x'), /replaced again/);
test(
  'a pull secret has the name of an object',
  wrong,
  policyOf('{}', "pullSecrets: [{ registries: [ghcr.io], secret: '../a' }]\n"),
  /pullSecrets\[0\]\.secret: must be the name/,
);

const scope: PolicyScope = {
  ...{ type: 'install_release', right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: 'ci' },
  ...{ changes: true, chart: undefined, payload: {} },
};
const limitsOf = (text: string) => decide(readPolicy(text), scope, { begins: new Date(0) });

const { chartMirrors } = limitsOf(
  policyOf(`
  charts:
    - { from: 'https://charts.example.com', to: 'https://mirror.internal/charts' }
    - { from: 'https://charts.example.com/stable/', to: 'http://mirror.internal:8080/stable/', secret: read }
    - { from: 'oci://ghcr.io/vendor', to: 'oci://registry.internal:5000/vendor' }
    - { from: 'https://files.example.com:8443/a', to: 'https://mirror.internal/files' }
  hosts: [Files.internal]`),
);
const replaces = test.macro({
  title: (_, url: string, mirror: string | undefined) => `${url} becomes ${mirror ?? 'no other'}`,
  exec(t, url: string, mirror: string | undefined) {
    t.is(chartMirrors?.mirrorOf(url)?.url, mirror);
  },
});
test(replaces, 'https://charts.example.com', 'https://mirror.internal/charts');
test(replaces, 'https://charts.example.com/', 'https://mirror.internal/charts');
test(replaces, 'HTTPS://Charts.Example.com:443/a/web.tgz', 'https://mirror.internal/charts/a/web.tgz');
test(replaces, 'http://charts.example.com/a', 'https://mirror.internal/charts/a');
test(replaces, 'https://charts.example.com/stable', 'http://mirror.internal:8080/stable');
test(replaces, 'https://charts.example.com/stable/web.tgz', 'http://mirror.internal:8080/stable/web.tgz');
test(replaces, 'https://charts.example.com/x/../stable/web.tgz', 'http://mirror.internal:8080/stable/web.tgz');
test(replaces, 'https://charts.example.com/stable-evil', 'https://mirror.internal/charts/stable-evil');
test(replaces, 'oci://ghcr.io/vendor/web:1.0.0', 'oci://registry.internal:5000/vendor/web:1.0.0');
test(replaces, 'oci://GHCR.io/vendor/web', 'oci://registry.internal:5000/vendor/web');
test(
  replaces,
  `oci://ghcr.io/vendor/web@sha256:${'a'.repeat(64)}`,
  `oci://registry.internal:5000/vendor/web@sha256:${'a'.repeat(64)}`,
);
test(replaces, 'oci://ghcr.io/vendor-evil/web', undefined);
test(replaces, 'oci://ghcr.io:5000/vendor/web', undefined);
test(replaces, 'https://charts.example.com.evil.com/a', undefined);
test(replaces, 'https://charts.example.com@evil.com/a', undefined);
test(replaces, 'https://evil.com/https://charts.example.com/a', undefined);
test(replaces, 'https://user@charts.example.com/a', undefined);
test(replaces, 'https://charts.example.com:8443/a', undefined);
test(replaces, 'https://files.example.com:8443/a/b', 'https://mirror.internal/files/b');
test(replaces, 'ftp://charts.example.com/a', undefined);

test('a mirror may lead to mirrors and to the hosts that the policy names', (t) => {
  const hosts = [...(chartMirrors?.hosts ?? [])].sort();
  t.deepEqual(hosts, ['files.internal', 'mirror.internal', 'mirror.internal:8080', 'registry.internal:5000']);
  t.is(chartMirrors?.mirrorOf('https://charts.example.com/stable/a')?.secret, 'read');
});

test('pull secrets are for namespaces', (t) => {
  const secrets = "pullSecrets: [{ registries: [ghcr.io], namespaces: ['shop-*'], secret: pull }]\n";
  const { imageRules } = limitsOf(policyOf('{}', secrets));
  t.is(imageRules?.('shop'), undefined);
  t.deepEqual(imageRules?.('shop-1')?.pullSecrets, [{ registries: [{ registry: 'ghcr.io' }], name: 'pull' }]);
});

test('without mirrors, nothing is replaced', (t) => {
  const { imageRules, chartMirrors: none } = limitsOf('rules: [{ name: a }]\ndefault: deny\n');
  t.is(imageRules, undefined);
  t.is(none, undefined);
});
