import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { openConnection } from '../../src/kube/connection.ts';
import { processHost } from '../../src/render/process-host.ts';
import { makeCertificates } from '../../src/sandbox/certificates.ts';
import { kubeconfigOf } from './fake-server.ts';
import { startSocksProxy } from './proxies.ts';

test('reads a kubeconfig file, and a rotated certificate again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  writeFileSync(join(folder, 'config'), kubeconfigOf('https://127.0.0.1:1/', user));
  writeFileSync(join(folder, 'client.crt'), 'first');
  writeFileSync(join(folder, 'client.key'), 'key');
  const connection = openConnection({ file: join(folder, 'config') });
  t.teardown(() => connection.close());
  t.is(connection.server, 'https://127.0.0.1:1');
  t.is(connection.namespace, 'default');
  const first = await connection.prepare();
  t.is((await connection.prepare()).dispatcher, first.dispatcher);
  writeFileSync(join(folder, 'client.crt'), 'second');
  t.not((await connection.prepare()).dispatcher, first.dispatcher);
});

test('a rotated certificate is used at once, although a watch with the old one continues', async (t) => {
  const watches: ServerResponse[] = [];
  const [first, second] = [1, 2].map(() => makeCertificates(processHost(), '127.0.0.1'));
  const server = createTlsServer({ cert: first?.certificate, key: first?.key }, (request, response) => {
    if (request.url === '/watch') watches.push(response.writeHead(200));
    watches.at(-1)?.write('event');
    if (request.url !== '/watch') response.end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
  writeFileSync(join(folder, 'config'), kubeconfigOf(origin, user));
  const writeClient = (client = first) => {
    writeFileSync(join(folder, 'client.crt'), client?.certificate ?? '');
    writeFileSync(join(folder, 'client.key'), client?.key ?? '');
  };
  writeClient();
  const connection = openConnection({ file: join(folder, 'config') });
  const { dispatcher } = await connection.prepare();
  const watch = await dispatcher.request({ origin, path: '/watch', method: 'GET' });
  writeClient(second);
  const rotated = (await connection.prepare()).dispatcher;
  t.not(rotated, dispatcher);
  const next = await rotated.request({ origin, path: '/', method: 'GET' });
  t.is(await next.body.text(), 'done');
  const [event] = (await once(watch.body, 'data')) as [Buffer];
  t.is(event.toString(), 'event');
  watch.body.on('error', () => undefined);
  await connection.close();
});

test('reads the token file of a user for each request, and keeps the last token if it cannot be read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'config'), kubeconfigOf('https://127.0.0.1:1/', { tokenFile: 'token' }));
  const connection = openConnection({ file: join(folder, 'config') });
  t.teardown(() => connection.close());
  const header = async () => (await connection.prepare()).headers['Authorization'];
  await t.throwsAsync(header(), {
    code: 'unauthorized',
    message: `cannot read the token file ${join(folder, 'token')}`,
  });
  writeFileSync(join(folder, 'token'), 'first\n');
  t.is(await header(), 'Bearer first');
  writeFileSync(join(folder, 'token'), 'second\n');
  t.is(await header(), 'Bearer second');
  rmSync(join(folder, 'token'));
  t.is(await header(), 'Bearer second');
});

test('takes the namespace from the current context', async (t) => {
  const kubeconfig = JSON.parse(kubeconfigOf('https://127.0.0.1:1')) as { contexts: { context: object }[] };
  kubeconfig.contexts = kubeconfig.contexts.map((entry) => ({
    ...entry,
    context: { ...entry.context, namespace: 'team' },
  }));
  const connection = openConnection({ text: JSON.stringify(kubeconfig) });
  t.is(connection.namespace, 'team');
  await connection.close();
});

test('authenticates a user with name and password', async (t) => {
  const connection = openConnection({ text: kubeconfigOf('https://127.0.0.1:1', { username: 'ann', password: 'pw' }) });
  t.teardown(() => connection.close());
  const { headers } = await connection.prepare();
  t.is(headers['Authorization'], `Basic ${Buffer.from('ann:pw').toString('base64')}`);
});

test('names a kubeconfig file that does not exist', (t) => {
  const error = t.throws(() => openConnection({ file: '/no/such/kubeconfig' }));
  t.regex(error.message, /^kubeconfig \/no\/such\/kubeconfig cannot be read: ENOENT/);
});

test('connects without TLS to a server with an http URL, such as kubectl proxy', async (t) => {
  const text = kubeconfigOf('http://127.0.0.1:1').replace('"insecure-skip-tls-verify":true', '"tls-server-name":""');
  const connection = openConnection({ text });
  t.teardown(() => connection.close());
  await t.notThrowsAsync(connection.prepare());
  t.is(connection.server, 'http://127.0.0.1:1');
});

const sendsNoCredentials = test.macro({
  async exec(t, credentials: object) {
    const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'token'), 'secret');
    for (const server of ['http://127.0.0.1:1', 'HTTP://127.0.0.1:1', '127.0.0.1:1']) {
      writeFileSync(join(folder, 'config'), kubeconfigOf(server, { ...credentials, as: 'bob' }));
      const connection = openConnection({ file: join(folder, 'config') });
      t.teardown(() => connection.close());
      t.deepEqual((await connection.prepare()).headers, { 'Impersonate-User': 'bob' }, server);
    }
  },
  title: (_, credentials: object) =>
    `a server without TLS gets the user who is impersonated, but no ${Object.keys(credentials).join()}`,
});
test(sendsNoCredentials, { token: 'secret' });
test(sendsNoCredentials, { tokenFile: 'token' });
test(sendsNoCredentials, { username: 'ann', password: 'secret' });
test(sendsNoCredentials, {
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'no-such-plugin', interactiveMode: 'Never' },
});

test('authenticates a user with a token', async (t) => {
  const connection = openConnection({ text: kubeconfigOf('https://127.0.0.1:1', { token: 'secret' }) });
  t.teardown(() => connection.close());
  t.deepEqual((await connection.prepare()).headers, { Authorization: 'Bearer secret' });
});

/** Starts a proxy for HTTP that refuses tunnels. Returns its URL and what it was asked for. */
async function startProxy(t: ExecutionContext) {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.end('proxied');
  });
  proxy.on('connect', (request: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${request.url ?? ''}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

function proxiedKubeconfig(server: string, proxyUrl: string): string {
  return kubeconfigOf(server, {}, { 'proxy-url': proxyUrl });
}

/** Sends a request to an API server through a proxy. */
async function requestThrough(t: ExecutionContext, proxyUrl: string, origin: string) {
  const connection = openConnection({ text: proxiedKubeconfig(origin, proxyUrl) });
  t.teardown(() => connection.close());
  const { dispatcher } = await connection.prepare();
  return dispatcher.request({ origin, path: '/version', method: 'GET' });
}

test('sends requests through the proxy-url of the cluster', async (t) => {
  const { url, asked } = await startProxy(t);
  const { body } = await requestThrough(t, url, 'http://api.example:6443');
  t.is(await body.text(), 'proxied');
  t.deepEqual(asked, ['GET http://api.example:6443/version']);
});

const choosesProxy = test.macro({
  exec(t, server: string, proxyEnv: Record<string, string>, proxy: string | undefined) {
    const connection = openConnection({ text: kubeconfigOf(server) }, proxyEnv);
    t.teardown(() => connection.close());
    t.is(connection.proxy, proxy);
  },
  title: (_, server: string, proxyEnv: Record<string, string>) =>
    `chooses the proxy to ${server} of ${JSON.stringify(proxyEnv)}`,
});
test(choosesProxy, 'https://api.example', { HTTPS_PROXY: 'p:1', HTTP_PROXY: 'q:1' }, 'http://p:1/');
test(choosesProxy, 'api.example:80', { HTTPS_PROXY: 'p:1', http_proxy: 'q:1' }, 'http://q:1/');
test(choosesProxy, 'https://10.1.2.3:6443', { HTTPS_PROXY: 'p:1', NO_PROXY: '10.0.0.0/8' }, undefined);
test(choosesProxy, 'https://127.0.0.1:6443', { HTTPS_PROXY: 'p:1' }, undefined);
test(choosesProxy, 'https://localhost', { HTTPS_PROXY: 'p:1' }, undefined);

test(choosesProxy, 'https://api.example', { HTTPS_PROXY: 'SOCKS5://u:secret@p:1' }, 'socks5://u:secret@p:1');

test('a proxy of the environment that cannot be used is an error if it is needed', (t) => {
  const proxyEnv = { HTTPS_PROXY: 'ftp://user:secret@proxy.example', NO_PROXY: 'other.example' };
  t.throws(() => openConnection({ text: kubeconfigOf('https://api.example') }, proxyEnv), {
    code: 'bad_request',
    message: 'HTTPS_PROXY must be the URL of an http, https or socks5 proxy',
  });
  const connection = openConnection({ text: kubeconfigOf('https://other.example') }, proxyEnv);
  t.teardown(() => connection.close());
  t.is(connection.proxy, undefined);
});

test('sends requests through a SOCKS5 proxy of the environment', async (t) => {
  const server = createServer((_, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { address, asked } = await startSocksProxy(t, (server.address() as AddressInfo).port);
  const origin = 'http://api.example:6443';
  const connection = openConnection({ text: kubeconfigOf(origin) }, { HTTP_PROXY: `socks5://${address}` });
  t.teardown(() => connection.close());
  const { dispatcher } = await connection.prepare();
  const { body } = await dispatcher.request({ origin, path: '/version', method: 'GET' });
  t.is(await body.text(), 'served');
  t.deepEqual(asked, ['api.example:6443']);
});

test('opens a tunnel to an API server with TLS through the proxy-url of the cluster', async (t) => {
  const { url, asked } = await startProxy(t);
  await t.throwsAsync(requestThrough(t, url, 'https://api.example:6443'), { message: /403/ });
  t.deepEqual(asked, ['CONNECT api.example:6443']);
});

const refusesProxy = test.macro({
  exec(t, proxyUrl: string) {
    t.throws(() => openConnection({ text: proxiedKubeconfig('https://api.example', proxyUrl) }), {
      code: 'bad_request',
      message: 'the proxy-url of the given kubeconfig must be the URL of an http, https or socks5 proxy',
    });
  },
  title: (_, proxyUrl: string) => `refuses the proxy-url ${proxyUrl}`,
});
test(refusesProxy, 'proxy');
test(refusesProxy, 'ftp://proxy.example');

/** Returns the headers of a user that impersonates another one. */
async function impersonationHeadersOf(t: ExecutionContext, user: object) {
  const connection = openConnection({ text: kubeconfigOf('http://127.0.0.1:1', user) });
  t.teardown(() => connection.close());
  return (await connection.prepare()).headers;
}

const impersonates = test.macro({
  async exec(t, user: object, headers: object) {
    t.deepEqual(await impersonationHeadersOf(t, user), headers);
  },
  title: (_, user: object) => `impersonates ${JSON.stringify(user)}`,
});
test(impersonates, { as: 'bob' }, { 'Impersonate-User': 'bob' });
test(
  impersonates,
  { as: 'bob', 'as-uid': '7', 'as-groups': ['g1', 'g2'], 'as-user-extra': { 'a/b%': ['x', 'y'], none: [] } },
  {
    'Impersonate-User': 'bob',
    'Impersonate-Uid': '7',
    'Impersonate-Group': ['g1', 'g2'],
    'Impersonate-Extra-a%2Fb%25': ['x', 'y'],
  },
);
test(impersonates, { as: 'Zoë', 'as-groups': ['é'] }, { 'Impersonate-User': 'ZoÃ«', 'Impersonate-Group': ['Ã©'] });
test(impersonates, { 'as-groups': [], 'as-uid': null }, {});

const refusesImpersonation = test.macro({
  exec(t, user: object, message: string) {
    t.throws(() => openConnection({ text: kubeconfigOf('http://127.0.0.1:1', user) }), {
      code: 'bad_request',
      message,
    });
  },
  title: (_, user: object) => `refuses the impersonation of ${JSON.stringify(user)}`,
});
const withoutUser = 'invalid configuration: requesting uid, groups or user-extra for u without impersonating a user';
test(refusesImpersonation, { 'as-groups': ['g'] }, withoutUser);
test(refusesImpersonation, { 'as-uid': '7' }, withoutUser);
test(refusesImpersonation, { as: '', 'as-user-extra': { a: ['b'] } }, withoutUser);
const wrongType = 'the given kubeconfig cannot be read: ';
test(refusesImpersonation, { as: 'b', 'as-groups': 'g' }, `${wrongType}as-groups of user "u" must be a list of texts`);
test(refusesImpersonation, { as: 'b', 'as-uid': 7 }, `${wrongType}as-uid of user "u" must be text`);
test(
  refusesImpersonation,
  { as: 'b', 'as-user-extra': { a: 'x' } },
  `${wrongType}as-user-extra of user "u" must be lists of texts by name`,
);

test('the groups that a user of kubeconfig files impersonates are sent, and need a user', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  writeFileSync(path, kubeconfigOf('http://127.0.0.1:1', { as: 'bob', 'as-groups': ['g'] }));
  for (const source of [{ file: path }, { files: [path] }]) {
    const connection = openConnection(source);
    t.teardown(() => connection.close());
    t.deepEqual((await connection.prepare()).headers, { 'Impersonate-User': 'bob', 'Impersonate-Group': ['g'] });
  }
  writeFileSync(path, kubeconfigOf('http://127.0.0.1:1', { 'as-groups': ['g'] }));
  t.throws(() => openConnection({ file: path }), { message: `kubeconfig ${path} cannot be used: ${withoutUser}` });
});

const refusesFile = test.macro({
  exec(t, user: object, cluster: object, reason: string) {
    const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'config');
    writeFileSync(path, kubeconfigOf('https://127.0.0.1:1', user, cluster));
    for (const [source, name] of [
      [{ file: path }, `kubeconfig ${path}`],
      [{ files: [path] }, `the kubeconfig of ${path}`],
    ] as const) {
      t.throws(() => openConnection(source), { code: 'bad_request', message: `${name} cannot be used: ${reason}` });
    }
  },
  title: (_, user: object, cluster: object) => `refuses a file with ${JSON.stringify({ user, cluster })}`,
});
test(
  refusesFile,
  {},
  { 'certificate-authority-data': 'eA==' },
  'specifying a root certificates file with the insecure flag is not allowed',
);
test(
  refusesFile,
  { 'client-certificate-data': 'eA==' },
  {},
  'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
);
test(
  refusesFile,
  { 'auth-provider': { name: 'exec', config: { exec: { command: 'x' } } } },
  {},
  'no Auth Provider found for name "exec"',
);

test('names a current context that does not exist', (t) => {
  const text = kubeconfigOf('https://127.0.0.1:1').replace('"current-context":"x"', '"current-context":"nope"');
  t.throws(() => openConnection({ text }), {
    message: 'invalid configuration: context was not found for specified context: nope',
  });
});

test('a certificate that cannot be read any more fails the request', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const certificate = join(folder, 'client.crt');
  writeFileSync(certificate, 'first');
  const user = { 'client-certificate': certificate, 'client-key-data': 'eA==' };
  const connection = openConnection({ text: kubeconfigOf('https://127.0.0.1:1', user) });
  t.teardown(() => connection.close());
  await connection.prepare();
  rmSync(certificate);
  await t.throwsAsync(connection.prepare(), {
    code: 'unreachable',
    message: `cannot read the credentials of the kubeconfig: ENOENT: no such file or directory, open '${certificate}'`,
  });
});
