import test from 'ava';
import { credentialsInSecret } from '../../src/source/secret-credentials.ts';

const hosts = 'charts.example, http://plain.example:8080';

interface Given {
  data: Record<string, string>;
  type?: string;
  annotation?: string;
  repoUrl?: string;
}

function credentialsOf({ data, type, annotation = hosts, repoUrl = 'https://charts.example/stable' }: Given) {
  const base64 = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const secret = {
    metadata: { name: 'charts', annotations: { 'helm-agent/chart-hosts': annotation } },
    ...(type !== undefined && { type }),
    data: Object.fromEntries(base64) as Record<string, string>,
  };
  return credentialsInSecret(secret, { repoUrl, chartName: 'web' });
}

const login = { username: 'ada', password: 'Sentinel4711' };
const dockerConfig = (auths: object) => ({
  type: 'kubernetes.io/dockerconfigjson',
  annotation: '',
  data: { '.dockerconfigjson': JSON.stringify({ auths }) },
});

const gives = test.macro<[string, Given, object]>({
  title: (_, what) => `credentials come from ${what}`,
  exec: (t, _, given, expected) => t.deepEqual(JSON.parse(JSON.stringify(credentialsOf(given))) as object, expected),
});
test(gives, 'a user name and a password', { data: login }, login);
test(gives, 'a Secret of the type basic-auth', { data: login, type: 'kubernetes.io/basic-auth' }, login);
test(gives, 'a token, without the line break at its end', { data: { token: 'abc\n' } }, { token: 'abc' });
test(gives, 'a CA alone', { data: { 'ca.crt': 'CA' } }, { tls: { ca: 'CA' } });
test(
  gives,
  'a client certificate beside a password',
  { data: { ...login, 'tls.crt': 'CERT', 'tls.key': 'KEY' } },
  { ...login, tls: { cert: 'CERT', key: 'KEY' } },
);
test(
  gives,
  'a Secret that allows its host without TLS',
  { data: login, repoUrl: 'http://plain.example:8080/charts' },
  login,
);
const auth = Buffer.from('ada:Sentinel4711').toString('base64');
test(
  gives,
  'the configuration of registries, by host',
  {
    ...dockerConfig({ 'other.example': {}, 'charts.example:5000': { auth } }),
    repoUrl: 'oci://charts.example:5000/team',
  },
  login,
);
test(
  gives,
  'the configuration of registries, for Docker Hub',
  { ...dockerConfig({ 'https://index.docker.io/v1/': login }), repoUrl: 'oci://docker.io/team' },
  login,
);
test(
  gives,
  'the configuration of registries, with an identity token',
  { ...dockerConfig({ 'charts.example': { identitytoken: 'eyJ' } }), repoUrl: 'oci://charts.example/team' },
  { username: '', password: '', identityToken: 'eyJ' },
);

const fails = test.macro<[string, Given, RegExp]>({
  title: (_, why) => `a Secret is refused ${why}`,
  exec(t, _, given, message) {
    const error = t.throws(() => credentialsOf(given), { code: 'repository_unauthorized', message });
    t.false(error.message.includes('Sentinel4711'));
  },
});
test(
  fails,
  'without the annotation',
  { data: login, annotation: '' },
  /the Secret charts is not for charts\.example; add/,
);
test(
  fails,
  'for another host',
  { data: login, repoUrl: 'https://charts.example.evil/' },
  /not for charts\.example\.evil;/,
);
test(
  fails,
  'for another port',
  { data: login, repoUrl: 'https://charts.example:444/' },
  /not for charts\.example:444;/,
);
test(fails, 'without TLS', { data: login, repoUrl: 'http://charts.example/' }, /not for http:\/\/charts\.example;/);
test(fails, 'without a password', { data: { username: 'ada' } }, /needs both keys username and password/);
test(fails, 'without a key for the certificate', { data: { 'tls.crt': 'C' } }, /needs both keys tls\.crt and tls\.key/);
test(fails, 'with a password and a token', { data: { ...login, token: 't' } }, /keep one of them/);
test(fails, 'without any of the keys', { data: { other: 'Sentinel4711' } }, /has none of the keys/);
test(
  fails,
  'if its configuration does not have the registry',
  dockerConfig({ 'other.example': { auth } }),
  /no user name and password for charts\.example/,
);
test(
  fails,
  'if its configuration is not JSON',
  { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'Sentinel4711' } },
  /no configuration of registries in JSON/,
);

test('a chart at a path has no host to send credentials to', (t) => {
  const secret = { metadata: { name: 'charts' }, data: {} };
  t.throws(() => credentialsInSecret(secret, { chartName: 'web' }), { code: 'invalid_repository_url' });
});
