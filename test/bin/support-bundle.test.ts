import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { extract } from 'tar-stream';
import { RecentLines } from '../../src/agent/support/recent-lines.ts';
import { agentMetrics } from '../../src/metrics/agent-metrics.ts';
import { testProgram } from '../cli/support/program.ts';
import { agentId, answerOf, exampleCharts, failureOf, startWorld, type WorldOptions } from './support/world.ts';

const install = { namespace: 'shop', releaseName: 'hello', chartName: 'web' };

async function worldWith(t: ExecutionContext, options: WorldOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'support-bundle-'));
  const recentLines = new RecentLines();
  const world = await startWorld({ allowedRights: ['read', 'deploy', 'support'], recentLines, ...options });
  t.teardown(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  return { ...world, folder, recentLines };
}

/** Returns the files of an archive. */
async function unpacked(file: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Readable.from([gunzipSync(await readFile(file))]).pipe(extract())) {
    files.set(entry.header.name, await text(entry));
  }
  return files;
}

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex');

test.serial('ctl writes an archive without the secrets that each source has', async (t) => {
  const secret = (place: string) => `sentinel-${place}-${randomBytes(6).toString('hex')}`;
  const planted = {
    ...{ values: secret('values'), env: secret('env'), proxy: secret('proxy'), token: secret('token') },
    ...{ log: secret('log'), event: secret('event'), url: secret('url') },
    ...{ namespace: secret('namespace'), pod: secret('pod') },
  };
  const folder = await mkdtemp(join(tmpdir(), 'support-files-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, `${planted.token}\n`);
  process.env['SUPPORT_TEST_API_TOKEN'] = planted.env;
  process.env['SUPPORT_TEST_PROXY'] = `http://user:${planted.proxy}@proxy.example:3128`;
  const { plane, cluster, port, recentLines, ...world } = await worldWith(t, {
    listenTokenFile: tokenFile,
    settings: { controlPlane: `wss://user:${planted.url}@plane.example`, listenTokenFile: tokenFile, agentId },
  });
  const ns = cluster.namespace;
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own', namespace: ns } },
    data: { key: Buffer.from(planted.namespace).toString('base64') },
  });
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: ns }, type: 'Warning', reason: 'Failed' },
    message: `cannot log in with password=${planted.event} and ${planted.namespace} of ${planted.token}`,
    involvedObject: { kind: 'Pod', name: 'web', namespace: ns },
    lastTimestamp: '2026-01-01T00:00:00Z',
  });
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'agent', namespace: ns } },
    spec: {
      containers: [{ name: 'a', image: 'nginx', env: [{ name: 'A', value: planted.pod }], args: [planted.pod] }],
    },
  });
  await answerOf(plane.install(agentId, { ...install, values: `greeting: ${planted.values}` }));
  await failureOf(plane.upgrade(agentId, { ...install, chartName: 'missing', values: `greeting: ${planted.values}` }));
  recentLines.add(`{"msg":"a request failed","url":"https://user:${planted.log}@example","token":"${planted.log}"}\n`);
  for (const value of [planted.env, planted.proxy, planted.token, planted.namespace]) {
    recentLines.add(`{"msg":"without a name: ${value}, and in base64: ${Buffer.from(value).toString('base64')}"}\n`);
  }
  recentLines.add(`{"msg":"Authorization: Bearer ${planted.log}"}\n`);

  const { run, stdout, stderr } = testProgram({ env: { HELM_AGENT_SERVER: `http://127.0.0.1:${port}` } });
  const file = join(world.folder, 'a.tar.gz');
  t.is(await run('ctl', 'support-bundle', agentId, '-o', file), 0, stderr.text);
  t.is((await stat(file)).mode & 0o777, 0o600);
  const files = await unpacked(file);
  const names = ['README.txt', 'versions.json', 'settings.json', 'rights.json', 'cluster.json'];
  const lists = ['agent-rights.json', 'health.json', 'commands.jsonl', 'log.jsonl', 'pods.jsonl', 'events.jsonl'];
  t.deepEqual(
    [...files.keys()],
    [...names, ...lists].map((name) => `support/${name}`),
  );
  for (const [name, content] of files) {
    t.notRegex(content, /sentinel/, name);
    for (const value of Object.values(planted)) {
      t.false(content.includes(Buffer.from(value).toString('base64')), name);
      t.false(content.includes(sha256(value)), name);
    }
  }
  const content = (name: string) => files.get(`support/${name}`) ?? '';
  const commands = content('commands.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  t.like(commands[0], { type: 'install_release', namespace: 'shop', release: 'hello', result: 'success' });
  t.like(commands[1], { type: 'upgrade_release', result: 'failure', code: 'chart_not_found' });
  t.like(commands.at(-1), { type: 'support_bundle' });
  t.like(JSON.parse(content('settings.json')), { listenTokenFile: tokenFile, agentId });
  t.regex(content('events.jsonl'), /cannot log in with password=\*\*\* and \*\*\* of \*\*\*/);
  t.regex(content('pods.jsonl'), /"name":"agent"/);
  t.regex(content('agent-rights.json'), /"isIncomplete": false/);
  t.regex(content('cluster.json'), /"gitVersion": "v1\./);
  t.regex(content('README.txt'), /metrics\.txt: the agent has no --health-port/);
  t.regex(stdout.text, /^FILE +SIZE +CONTENT\n/);
  t.true(stdout.text.endsWith(`wrote ${file}; read it before you pass it on\n`));

  t.is(await run('ctl', 'support-bundle', agentId, '-o', file), 1);
  t.regex(stderr.text, /it exists; name another file with --output/);
});

test.serial('without the consent of the owner there is no bundle', async (t) => {
  const { plane, port } = await worldWith(t, { allowedRights: undefined });
  const { code, message } = await failureOf(plane.supportBundle(agentId, {}));
  t.is(code, 'forbidden');
  t.regex(message, /needs the right "support"; its owner allows read, deploy, admin/);
  const { run, stderr } = testProgram({ env: { HELM_AGENT_SERVER: `http://127.0.0.1:${port}` } });
  t.is(await run('ctl', 'support-bundle', agentId), 1);
  t.regex(stderr.text, /--allow-rights/);
});

test.serial('a bundle has what the process knows while the API server cannot be reached', async (t) => {
  const kubeconfig = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { token: 'sentinel-kubeconfig' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  });
  const { plane, recentLines } = await worldWith(t, { cluster: { text: kubeconfig }, healthPort: 0 });
  recentLines.add('{"msg":"a token: sentinel-kubeconfig, and sentinel-kubeconfig"}\n');
  const { files, missing = [] } = await answerOf(plane.supportBundle(agentId, {}));
  const names = files.map(({ name }) => name);
  for (const name of ['versions.json', 'settings.json', 'health.json', 'log.jsonl', 'metrics.txt', 'commands.jsonl']) {
    t.true(names.includes(name), name);
  }
  for (const name of ['cluster.json', 'pods.jsonl', 'events.jsonl']) {
    t.true(
      missing.some((reason) => reason.startsWith(`${name}: `)),
      missing.join('\n'),
    );
  }
  t.regex(files.find(({ name }) => name === 'health.json')?.text ?? '', /"api-server",\n +"isOk": false/);
  t.true((files.find(({ name }) => name === 'metrics.txt')?.text ?? '').includes(Object.keys(agentMetrics)[0] ?? ' '));
  t.notRegex(JSON.stringify({ files, missing }), /sentinel/);
});

test.serial('a rights file does not change who collects a bundle', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'support-rights-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const rightsFile = join(folder, 'rights.yaml');
  await writeFile(rightsFile, 'rules: [{ namespaces: [shop], account: deployer }]\ndefault: none\n');
  const { plane } = await worldWith(t, { rightsFile, localCharts: exampleCharts });
  const { files } = await answerOf(plane.supportBundle(agentId, {}));
  t.regex(files.find(({ name }) => name === 'rights.json')?.text ?? '', /account: deployer/);
  t.true(files.some(({ name }) => name === 'pods.jsonl'));
});

test.serial(
  'plans do not take the place of Secrets whose values are removed, and a bundle says if there are too many',
  async (t) => {
    const { plane, cluster, recentLines } = await worldWith(t);
    const secret = { apiVersion: 'v1', kind: 'Secret' };
    const create = async (name: string, labels: Record<string, string>, key: string) =>
      await cluster.create({
        ...secret,
        metadata: { name, namespace: cluster.namespace, labels },
        stringData: { key },
      });
    for (let count = 0; count < 101; count++)
      await create(`helm-agent.plan.${count}`, { 'helm-agent/plan': 'a' }, 'x'.repeat(10));
    await create('registry', {}, 'sentinel-registry');
    recentLines.add('{"msg":"it was sentinel-registry"}\n');
    const { files, missing = [] } = await answerOf(plane.supportBundle(agentId, {}));
    t.notRegex(JSON.stringify(files), /sentinel/);
    t.false(missing.some((reason) => reason.startsWith('Secrets ')));

    for (let count = 0; count < 101; count++) await create(`more-${count}`, {}, 'y'.repeat(10));
    const { missing: reasons = [] } = await answerOf(plane.supportBundle(agentId, {}));
    t.true(
      reasons.some((reason) => /^Secrets of the namespace, .*: there are more than 100$/.test(reason)),
      reasons.join('\n'),
    );
  },
);
