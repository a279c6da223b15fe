import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { WebSocket } from 'ws';
import { FakeControlPlane } from '../agent/support/server.ts';
import { indexYaml, serve, type TestRepository, type TestResponse } from '../source/test-repository.ts';
import { packedApp } from './support/archive.ts';
import { startWorld } from './support/world.ts';

// the parts that are searched for are letters and digits, so that any encoding leaves them intact
const password = 'p/"Sentinel4711 &%';
const token = 'tokenSentinel4712';
const user = 'reader';
const basic = Buffer.from(`${user}:${password}`).toString('base64');

/** Texts that must not appear anywhere. */
const secrets = ['Sentinel4711', 'Sentinel4712', basic, Buffer.from(password).toString('base64').slice(0, -4)];

/** Asserts that no text contains one of the secrets or the token for the cluster. */
function assertNoSecrets(t: ExecutionContext, kubeconfig: string, texts: readonly string[]): void {
  const { users } = load(kubeconfig) as { users: { user: { token: string } }[] };
  const all = [...secrets, ...users.map(({ user: { token } }) => token)];
  const leaking = texts.filter((text) => all.some((secret) => text.includes(secret)));
  t.deepEqual(leaking, []);
}

/**
 * A repository that wants the password for `/good`, and under other paths sends it to everyone.
 */
async function leakyRepository(t: ExecutionContext): Promise<TestRepository> {
  const archive = await packedApp({ 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n' });
  const authorized =
    (body: string | Buffer): TestResponse =>
    (request, response) => {
      if (request.headers.authorization === `Basic ${basic}`) response.end(body);
      else response.writeHead(401).end(`${password} was expected`);
    };
  const redirect =
    (location: string): TestResponse =>
    (_request, response) =>
      response.writeHead(302, { location }).end(password);
  const status =
    (code: number): TestResponse =>
    (_request, response) =>
      response.writeHead(code, { 'www-authenticate': `Basic realm=${encodeURIComponent(password)}` }).end(password);
  const elsewhere = `http://${user}:${encodeURIComponent(password)}@localhost:1`;
  return serve(t, {
    '/good/index.yaml': authorized(indexYaml({ app: [{ version: '1.0.0' }] })),
    '/good/app-1.0.0.tgz': authorized(archive),
    '/401/index.yaml': status(401),
    '/500/index.yaml': status(500),
    '/elsewhere/index.yaml': redirect(`${elsewhere}/?password=${encodeURIComponent(password)}`),
    '/path/index.yaml': redirect(`/${encodeURIComponent(password)}/index.yaml`),
    '/scheme/index.yaml': redirect(`ftp://${encodeURIComponent(password)}/`),
    '/text/index.yaml': `entries: [${password}`,
    '/version/index.yaml': indexYaml({ app: [{ version: '1.0.0', url: `${elsewhere}/app.tgz` }] }),
  });
}

const commands = (url: string) => {
  const { host } = new URL(url);
  const inUrl = `${user}:${encodeURIComponent(password)}@`;
  const install = (fields: object) => ({
    releaseName: 'app',
    chartName: 'app',
    repoUserName: user,
    repoPassword: password,
    ...fields,
  });
  return [
    install({ repoUrl: `${url}/good`, releaseName: 'good' }),
    install({ repoUrl: `${url}/good`, releaseName: 'good' }), // the name is in use now
    ...['401', '500', 'elsewhere', 'path', 'scheme', 'text', 'version', 'nothing'].map((path) =>
      install({ repoUrl: `${url}/${path}` }),
    ),
    install({ repoUrl: `${url}/good`, chartVersion: '9.9.9' }),
    install({ repoUrl: `http://${inUrl}${host}/401`, repoUserName: '', repoPassword: '' }),
    install({ repoUrl: `http://${inUrl}127.0.0.1:1`, repoUserName: '', repoPassword: '' }),
    install({ repoUrl: `ftp://${inUrl}${host}`, repoUserName: '', repoPassword: '' }),
    install({ repoUrl: 'http://127.0.0.1:1' }),
    install({ chartName: 'https://x/' }),
    install({ chartName: `oci://${inUrl}${host}/team/web` }),
    install({ chartName: `http://${inUrl}${host}/401/app.tgz` }),
    install({ chartName: 'web', repoUrl: `oci://${inUrl}${host}/team` }),
    install({ chartName: `oci://${host}/team/web` }),
    install({ values: '[' }),
    install({ releaseName: 'Not Allowed' }),
    install({ timeout: 'soon' }),
    install({ repoPassword: [password] }),
    install({ [password]: true, chartName: 7 }),
  ];
};

/** Frames that are refused before they become commands. */
const frames = [
  `{"repoPassword":"Sentinel4711`,
  JSON.stringify({ key: 'a', payload: JSON.stringify({ repoPassword: password }) }),
  JSON.stringify({ key: 'b', type: 'install_everything', payload: JSON.stringify({ repoPassword: password }) }),
  JSON.stringify({ key: 'c', type: 'install_release', payload: `{"repoPassword":"Sentinel4711` }),
  JSON.stringify({ key: 'd', type: 'install_release', payload: { repoPassword: password } }),
  JSON.stringify({ key: 'e', type: 'install_release', payload: JSON.stringify(password) }),
  JSON.stringify({ key: ['Sentinel4711'], type: 'install_release' }),
  JSON.stringify([password]),
];

async function tokenFileOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'token');
  await writeFile(file, `${token}\n`);
  return file;
}

for (const form of ['helm-agent.v1', 'plain'] as const) {
  test(`no packet and no log line contains the password or the token, with the form ${form}`, async (t) => {
    const repository = await leakyRepository(t);
    const server = await FakeControlPlane.start({
      refuse: (attempt) => (attempt === 0 ? 401 : undefined),
      ...(form === 'plain' && { select: () => false as const }),
    });
    t.teardown(() => server.close());
    const world = await startWorld({
      controlPlaneUrl: `${server.url.replace('//', `//${user}:${token}@`)}/agent?token=${token}`,
      tokenFile: await tokenFileOf(t),
      listenTokenFile: await tokenFileOf(t),
      listen: { host: '127.0.0.1', port: 0 },
    });
    t.teardown(() => world.close());
    const connection = await server.connection(0);
    for (const frame of frames) connection.socket.send(frame);
    for (const [index, command] of commands(repository.url).entries()) {
      const key = `k${index}`;
      connection.send({ key, type: 'install_release', payload: JSON.stringify(command) });
      const { payload = '' } = await connection.packet(form === 'plain' ? 'install_release' : 'result', key);
      const succeeded = form === 'plain' ? payload.startsWith('{') : payload.startsWith('{"ok":true');
      t.is(succeeded, index === 0, payload);
    }
    for (const bearer of [token, `${token}x`]) {
      const client = new WebSocket(`ws://127.0.0.1:${world.agent.port ?? 0}/exe-cmd?token=${bearer}`, {
        headers: { authorization: `Bearer ${bearer}` },
      });
      client.on('error', () => undefined);
      await once(client, 'close', { signal: AbortSignal.timeout(bearer === token ? 200 : 5000) }).catch(() =>
        client.close(),
      );
    }

    // the secrets were really used
    t.is(server.attempts[0]?.authorization, `Bearer ${token}`);
    t.true(repository.requests.some(({ authorization }) => authorization === `Basic ${basic}`));
    t.true(world.lines.some((line) => line.includes('repository_unauthorized')));
    t.true(world.lines.some((line) => line.includes('refused a client')));
    assertNoSecrets(t, world.kubeconfig, world.lines);
    assertNoSecrets(
      t,
      world.kubeconfig,
      server.connections.flatMap(({ packets }) => packets.map((packet) => JSON.stringify(packet))),
    );
  });
}
