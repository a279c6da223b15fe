import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { readKubeConfig } from '../../src/cli/helm/kubeconfig.ts';
import { type HelmSettings, settingsOfEnvironment } from '../../src/cli/helm/settings.ts';
import { helmCluster } from '../../src/compose/helm-cluster.ts';
import { openReleases } from '../../src/compose/open-releases.ts';
import { openConnection } from '../../src/kube/connection.ts';

interface Kubeconfig {
  cluster?: object;
  user?: object;
  more?: object;
  raw?: string;
}

/** Writes a kubeconfig. Returns the arguments of what opens the cluster of it. */
function argumentsFor(t: ExecutionContext, { cluster, user, more, raw }: Kubeconfig, settings: Partial<HelmSettings>) {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user: { ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
    ...more,
  };
  writeFileSync(path, raw ?? JSON.stringify(config));
  const env = { HOME: folder };
  const all = { ...settingsOfEnvironment(env), kubeConfig: path, ...settings };
  return [env, all, () => readKubeConfig(all, env)] as const;
}

const sends = test.macro({
  async exec(t, user: object, settings: Partial<HelmSettings>, headers: object) {
    const connection = openConnection(await helmCluster(...argumentsFor(t, { user }, settings)));
    t.teardown(() => connection.close());
    t.deepEqual((await connection.prepare()).headers, headers);
  },
  title: (_, user: object, settings: object) =>
    `requests of ${JSON.stringify(user)} with ${JSON.stringify(settings)} have the headers of helm`,
});
test(
  sends,
  { as: 'bob', 'as-groups': ['g1', 'g2'], 'as-uid': '7', 'as-user-extra': { k: ['v'] } },
  {},
  {
    'Impersonate-User': 'bob',
    'Impersonate-Group': ['g1', 'g2'],
    'Impersonate-Uid': '7',
    'Impersonate-Extra-k': ['v'],
  },
);
test(
  sends,
  { as: 'bob', 'as-groups': ['g1'] },
  { kubeAsGroups: ['g9'] },
  { 'Impersonate-User': 'bob', 'Impersonate-Group': ['g9'] },
);
test(
  sends,
  { as: 'bob', 'as-groups': ['g1'] },
  { kubeAsUser: 'eve' },
  { 'Impersonate-User': 'eve', 'Impersonate-Group': ['g1'] },
);

const refuses = test.macro({
  async exec(t, config: Kubeconfig, settings: Partial<HelmSettings>, message: string) {
    const opened = argumentsFor(t, config, settings);
    await t.throwsAsync(
      openReleases(...opened, () => undefined),
      { message: `kubernetes cluster unreachable: ${message.replace('PATH', opened[1].kubeConfig)}` },
    );
  },
  title: (_, config: object, settings: object) =>
    `refuses, as helm does, ${JSON.stringify(config)} with ${JSON.stringify(settings)}`,
});
const withoutUser = 'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user';
test(refuses, { user: { 'as-groups': ['g'] } }, {}, withoutUser);
test(refuses, {}, { kubeAsGroups: ['g'] }, withoutUser);

const server = 'https://127.0.0.1:1';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const ca = base64(rootCertificates[0] ?? '');
const insecureAuthority = 'specifying a root certificates file with the insecure flag is not allowed';
const noPem = 'unable to load root certificates: unable to parse bytes as PEM block';
const invalid = 'invalid configuration:';
const insecure = { 'insecure-skip-tls-verify': true };
test(refuses, { cluster: { server, ...insecure, 'certificate-authority-data': ca } }, {}, insecureAuthority);
test(
  refuses,
  { cluster: { server, 'certificate-authority': '/none' } },
  {},
  `${invalid} unable to read certificate-authority /none for c due to open /none: no such file or directory`,
);
test(
  refuses,
  { cluster: { server, 'certificate-authority-data': ca } },
  { kubeCaFile: '/none' },
  `${invalid} unable to read certificate-authority /none for c due to open /none: no such file or directory`,
);
test(refuses, { cluster: { server, 'certificate-authority-data': base64('no PEM') } }, {}, noPem);
test(refuses, { cluster: { server, ...insecure } }, { kubeCaFile: '/etc/passwd' }, noPem);
test(
  refuses,
  { cluster: { server, 'certificate-authority-data': base64('-----BEGIN CERTIFICATE-----\nAA==') } },
  {},
  'unable to load root certificates: failed to parse certificate',
);
test(
  refuses,
  { cluster: { server, 'certificate-authority-data': '!!!' } },
  {},
  `${invalid} certificate-authority-data for c is not base64`,
);
test(
  refuses,
  { cluster: { server, 'certificate-authority-data': ca, 'certificate-authority': '/etc/passwd' } },
  {},
  `${invalid} certificate-authority-data and certificate-authority are both specified for c. certificate-authority-data will override.`,
);
test(
  refuses,
  { user: { 'client-certificate-data': ca } },
  {},
  `${invalid} client-key-data or client-key must be specified for u to use the clientCert authentication method.`,
);
test(
  refuses,
  { user: { 'client-certificate': '/none', 'client-key': '/none', 'client-key-data': ca } },
  {},
  `${invalid} [client-key-data and client-key are both specified for u; client-key-data will override, ` +
    'unable to read client-cert /none for u due to open /none: no such file or directory, ' +
    'unable to read client-key /none for u due to open /none: no such file or directory]',
);
test(
  refuses,
  { user: { username: 'a', password: 'b' } },
  { kubeToken: 'x' },
  `${invalid} more than one authentication method found for u; found [token basicAuth], only one is allowed`,
);
test(
  refuses,
  { user: { exec: { command: 'x' } } },
  {},
  `${invalid} [apiVersion must be specified for u to use exec authentication plugin, interactiveMode must be specified for u to use exec authentication plugin]`,
);
test(
  refuses,
  { cluster: { server }, user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
  {},
  'exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"',
);
test(
  refuses,
  { cluster: { server }, user: { 'auth-provider': { name: 'gcp' } } },
  {},
  `The gcp auth plugin has been removed.
Please use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.
See https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further details`,
);
test(
  refuses,
  { cluster: { server }, user: { 'auth-provider': { name: 'toString' } } },
  {},
  'no Auth Provider found for name "toString"',
);
test(
  refuses,
  { more: { 'current-context': 'nope' } },
  {},
  `${invalid} context was not found for specified context: nope`,
);
test(refuses, { more: { 'current-context': 'nope' } }, { kubeContext: 'other' }, 'context "other" does not exist');
const noVersion = (kind: string) =>
  `error loading config file "PATH": couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
test(refuses, { raw: 'root:x:0:0\n' }, {}, noVersion('string'));
test(refuses, { raw: '- a\n' }, {}, noVersion('array'));

const connects = test.macro({
  async exec(t, config: Kubeconfig, settings: Partial<HelmSettings>, expected: string) {
    const connection = openConnection(await helmCluster(...argumentsFor(t, config, settings)));
    t.teardown(() => connection.close());
    const { headers } = await connection.prepare();
    t.is(`${connection.server} ${JSON.stringify(headers)}`, expected);
  },
  title: (_, config: object, settings: object) =>
    `accepts, as helm does, ${JSON.stringify(config)} with ${JSON.stringify(settings)}`,
});
const authority = { cluster: { server, 'certificate-authority-data': ca, ...insecure } };
test(connects, authority, { kubeInsecureSkipTlsVerify: true }, `${server} {}`);
test(connects, { cluster: { server: '' } }, {}, 'http://localhost:8080 {}');
test(
  connects,
  { cluster: { server: '127.0.0.1:1', 'certificate-authority-data': ca }, user: { token: 'secret', as: 'bob' } },
  {},
  'http://127.0.0.1:1 {"Impersonate-User":"bob"}',
);
