import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { testAgent } from '../../agent/support/agent.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { testRelease } from '../../agent/support/release.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { packChart } from '../../source/packed-chart.ts';
import { serveRegistry } from '../../source/test-registry.ts';
import { guardedBy, indexYaml, serve } from '../../source/test-repository.ts';
import { testProgram } from '../support/program.ts';
import { helmHome } from './support/helm-home.ts';

const password = 'Sentinel-4711';
const archive = await packChart('web');

interface Payload {
  releaseName: string;
  chartName?: string;
  repoUrl?: string | undefined;
  chartArchive?: string | undefined;
  repoUserName?: string | undefined;
  repoPassword?: string | undefined;
  credentialsFrom?: { secret: string } | undefined;
}

/** A repository for the user ada, an agent that records commands, and helm through the agent. */
async function open(t: ExecutionContext) {
  const { url: plane, agentUrl, plane: server } = await testPlane(t);
  const payloads: Payload[] = [];
  const record = (payload: Payload) => {
    payloads.push(payload);
    const chart = { metadata: { name: 'web' } };
    return Promise.resolve({ release: testRelease(payload.releaseName, { chart, manifest: '', config: {} }) });
  };
  const handlers = { ...new PuppetHandlers().handlers, install_release: record, upgrade_release: record };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers });
  await server.waitForAgent('edge-1');
  const guarded = guardedBy('ada', password);
  const { url } = await serve(t, {
    '/index.yaml': guarded(indexYaml({ web: [{ version: '1.0.0' }] })),
    '/web-1.0.0.tgz': guarded(archive),
    '/open/index.yaml': indexYaml({ web: [{ version: '1.0.0' }] }),
  });
  const { home, helm } = await helmHome(t);
  const env = {
    ...{ HOME: home, HELM_CONFIG_HOME: join(home, 'config'), HELM_CACHE_HOME: join(home, 'cache') },
    ...{ HELM_AGENT_SERVER: plane, HELM_AGENT_AGENT: 'edge-1' },
  };
  async function through(...args: string[]) {
    const { run, stderr } = testProgram({ env });
    await run('helm', ...args);
    return { error: stderr.text, payload: payloads.pop() };
  }
  return { url, home, helm, through };
}
type Opened = Awaited<ReturnType<typeof open>>;

const withUserinfo = (url: string) => url.replace('://', `://ada:${password}@`);
const flags = ['--username', 'ada', '--password', password];

/** Ways in which a user has credentials: the arguments that name the chart. */
const ways: Record<string, (opened: Opened) => Promise<string[]>> = {
  'flags and --repo': ({ url }) => Promise.resolve(['web', '--repo', url, ...flags]),
  'flags and a URL': ({ url }) => Promise.resolve([`${url}/web-1.0.0.tgz`, ...flags]),
  'userinfo in --repo': ({ url }) => Promise.resolve(['web', '--repo', withUserinfo(url)]),
  'userinfo in a URL': ({ url }) => Promise.resolve([withUserinfo(`${url}/web-1.0.0.tgz`)]),
  'repositories.yaml': async ({ url, helm }) => {
    await helm('repo', 'add', 'team', url, ...flags);
    return ['team/web'];
  },
  'repositories.yaml with pass_credentials_all': async ({ url, helm }) => {
    await helm('repo', 'add', 'team', url, ...flags, '--pass-credentials');
    return ['team/web'];
  },
  'userinfo in repositories.yaml': async ({ url, helm }) => {
    await helm('repo', 'add', 'team', withUserinfo(url));
    return ['team/web'];
  },
};

for (const [way, argsFor] of Object.entries(ways)) {
  for (const verb of ['install', 'upgrade']) {
    test(`${verb} with ${way} sends the chart to the agent, and not the password`, async (t) => {
      const opened = await open(t);
      const args = await argsFor(opened);
      const { error, payload } = await opened.through(verb, 'web', ...args);
      t.is(error, '');
      t.is(payload?.chartArchive, archive.toString('base64'));
      t.false(JSON.stringify(payload).includes(password));
      t.false(JSON.stringify(payload).includes('ada'));
    });
  }
}

test('--pass-credentials sends them to the agent', async (t) => {
  const opened = await open(t);
  const asked = { chartArchive: undefined, repoUserName: 'ada', repoPassword: password, repoUrl: opened.url };
  for (const args of [
    ['web', '--repo', opened.url, ...flags],
    ['web', '--repo', withUserinfo(opened.url)],
  ]) {
    const { payload } = await opened.through('install', 'web', ...args, '--pass-credentials');
    t.like(payload, { ...asked, repoUrl: payload?.repoUrl ?? '' });
    t.is(payload?.repoUrl?.replace(/\/$/, ''), opened.url);
  }
});

test('a chart that needs no credentials is downloaded by the agent', async (t) => {
  const { through, url, helm } = await open(t);
  await helm('repo', 'add', 'open', `${url}/open`);
  t.like((await through('install', 'web', 'open/web')).payload, { chartName: 'web', repoUrl: `${url}/open` });
  const { payload } = await through('install', 'web', 'oci://registry.example/team/web');
  t.like(payload, { chartName: 'oci://registry.example/team/web', chartArchive: undefined });
});

test('a chart for which certificates are given is downloaded here', async (t) => {
  const { through, home } = await open(t);
  const { error, payload } = await through('install', 'web', 'https://127.0.0.1:1/web.tgz', '--ca-file', `${home}/ca`);
  t.regex(error, /can't read CA file/);
  t.is(payload, undefined);
});

test('a chart of a registry with a login is pulled here', async (t) => {
  const { through, home } = await open(t);
  const { host } = await serveRegistry(t, { '1.0.0': archive }, { password });
  await mkdir(join(home, 'config/registry'), { recursive: true });
  const auth = Buffer.from(`joe:${password}`).toString('base64');
  await writeFile(join(home, 'config/registry/config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  const { payload } = await through('install', 'web', `oci://${host}/team/web`, '--plain-http');
  t.is(payload?.chartArchive, archive.toString('base64'));
  t.false(JSON.stringify(payload).includes(password));
});

test('a chart of a registry with an identity token is pulled here, also with --pass-credentials', async (t) => {
  const { through, home } = await open(t);
  const { host, responses } = await serveRegistry(t, { '1.0.0': archive }, { password });
  responses['/token'] = '{"access_token":"open"}';
  await mkdir(join(home, 'config/registry'), { recursive: true });
  const auths = { [host]: { identitytoken: password } };
  await writeFile(join(home, 'config/registry/config.json'), JSON.stringify({ auths }));
  for (const flag of ['--plain-http', '--pass-credentials']) {
    const { payload } = await through('install', 'web', `oci://${host}/team/web`, '--plain-http', flag);
    t.is(payload?.chartArchive, archive.toString('base64'));
    t.false(JSON.stringify(payload).includes(password));
  }
});

test('--credentials-from names a Secret of the agent, which downloads the chart', async (t) => {
  const { through, url, helm, home } = await open(t);
  await helm('repo', 'add', 'team', url, ...flags);
  for (const verb of ['install', 'upgrade']) {
    const { error, payload } = await through(verb, 'web', 'team/web', '--credentials-from', 'charts');
    t.is(error, '');
    t.like(payload, { repoUrl: url, credentialsFrom: { secret: 'charts' }, chartArchive: undefined });
    t.false(JSON.stringify(payload).includes(password));
  }
  const both = await through('install', 'web', 'team/web', '--credentials-from', 'charts', ...flags);
  t.regex(both.error, /give either --credentials-from, or --username and --password/);
  await mkdir(join(home, 'local'));
  for (const args of [[join(home, 'local')], ['team/web', '--verify']]) {
    const { error } = await through('install', 'web', ...args, '--credentials-from', 'charts');
    t.regex(error, /--credentials-from is only for charts that an agent downloads, without --verify/);
  }
  const direct = await helm('install', 'web', 'team/web', '--credentials-from', 'charts');
  t.regex(direct.stderr, /--credentials-from is only for charts that an agent downloads/);
});
