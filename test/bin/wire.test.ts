import test, { type ExecutionContext } from 'ava';
import type { CommandEvent } from '../../src/control-plane/index.ts';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import type { Packet } from '../../src/protocol/packet.ts';
import { FakeControlPlane } from '../agent/support/server.ts';
import { serve } from '../source/test-repository.ts';
import { eventually } from '../support/eventually.ts';
import { packedApp, serveApp } from './support/archive.ts';
import { dialAgent } from './support/client.ts';
import { type CuttableProxy, startCuttableProxy } from './support/cuttable-proxy.ts';
import {
  agentId,
  answerOf,
  contentsOf,
  failureOf,
  startWorld,
  underWay,
  waiting,
  type World,
  type WorldOptions,
} from './support/world.ts';

async function worldOf(t: ExecutionContext, options: WorldOptions = {}): Promise<World> {
  const world = await startWorld(options);
  t.teardown(() => world.close());
  return world;
}

/** Returns a packet as clients of the Go agent send it, with zero values for unset fields. */
const goInstall = (key: string, fields: object = {}): Packet => ({
  key,
  type: 'install_release',
  payload: JSON.stringify({
    repoUrl: '',
    repoUserName: '',
    repoPassword: '',
    chartName: 'web',
    chartVersion: '',
    namespace: 'shop',
    releaseName: key,
    values: 'migration: {enabled: false}',
    ...fields,
  }),
});

/** A release as clients of the Go agent read it. */
interface GoRelease {
  name: string;
  namespace: string;
  version: number;
  info: Record<string, string>;
  chart: { metadata: { name: string }; templates: { name: string; data: string }[] };
  config: object;
  manifest: string;
}

function checkGoRelease(t: ExecutionContext, { type, payload = '' }: Packet, name: string): void {
  t.is(type, 'install_release');
  const release = JSON.parse(payload) as GoRelease;
  t.like(release, { name, namespace: 'shop', version: 1, config: { migration: { enabled: false } } });
  t.like(release.info, { status: 'deployed', description: 'Install complete' });
  t.regex(release.info['notes'] ?? '', /^web 1 is available inside the cluster/);
  t.regex(release.info['first_deployed'] ?? '', /^\d{4}-\d\d-\d\dT/);
  t.is(release.chart.metadata.name, 'web');
  t.true(release.chart.templates.some((file) => file.name === 'templates/deployment.yaml'));
  t.regex(release.manifest, /^---\n# Source: web\/templates\/configmap\.yaml\n/);
}

test('a client of the Go agent connects, and gets replies with the types of its commands', async (t) => {
  const { agent } = await worldOf(t, { listen: { host: '127.0.0.1', port: 0 } });
  const client = await dialAgent(t, agent.port);
  client.send(goInstall('first'));
  checkGoRelease(t, await client.packet(({ key }) => key === 'first'), 'first');

  const payload = JSON.stringify({ namespace: 'shop', deploymentName: 'first-web' });
  client.send({ key: 'second', type: 'deployment_info', payload });
  const info = await client.packet(({ key }) => key === 'second');
  t.is(info.type, 'deployment_info');
  t.like(JSON.parse(info.payload ?? ''), { kind: 'Deployment', metadata: { name: 'first-web', namespace: 'shop' } });

  client.send({ ...goInstall('third', { releaseName: 'first' }) });
  const inUse = 'release name check failed: cannot reuse a name that is still in use';
  t.deepEqual(await client.packet(({ key }) => key === 'third'), {
    key: 'third',
    type: 'install_release',
    payload: inUse,
  });
  t.is(client.packets.length, 3);
});

test('the agent uses the form of the Go agent with a server that selects no subprotocol', async (t) => {
  const server = await FakeControlPlane.start({ select: () => false });
  t.teardown(() => server.close());
  await worldOf(t, { controlPlaneUrl: server.url });
  const connection = await server.connection(0);
  connection.send(goInstall('first'));
  checkGoRelease(t, await connection.packet('install_release', 'first'), 'first');
  connection.send(goInstall('second', { chartName: 'nothing' }));
  t.regex((await connection.packet('install_release', 'second')).payload ?? '', /^cannot read a chart at "nothing"/);
  t.is(connection.packets.length, 2);
});

test('a server that selects the subprotocol receives every step, even if it sends no welcome', async (t) => {
  const server = await FakeControlPlane.start();
  t.teardown(() => server.close());
  await worldOf(t, { controlPlaneUrl: server.url });
  const connection = await server.connection(0);
  connection.send(goInstall('first'));
  const { payload = '' } = await connection.packet('result', 'first');
  t.like(JSON.parse(payload), { ok: true, release: { name: 'first', version: 1, info: { status: 'deployed' } } });
  const types = connection.packets.map(({ type }) => type);
  t.deepEqual([types[0], types[1], types[2], types.at(-1)], ['hello', 'accepted', 'status', 'result']);
});

/** Returns values with which the pods become ready some simulated seconds after their start. */
const readyAfter = (seconds: number) => `args: [serve, -after, ${seconds}s]\nmigration: {enabled: false}\n`;

async function ready(cluster: KubeCluster, name: string): Promise<void> {
  const query = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'default',
    fieldSelector: `metadata.name=${name}`,
  };
  const found = new AbortController();
  for await (const change of cluster.observe(query, found.signal)) {
    const objects = change.type === 'snapshot' ? change.objects : [change.object];
    if (
      objects.some((object) => (object as { status?: { availableReplicas?: number } }).status?.availableReplicas === 1)
    )
      break;
  }
  found.abort();
}

/** Breaks the connection during a wait, and restores it when the release is ready. */
const broken = test.macro(async (t, kind: 'cut' | 'swallow') => {
  const proxies: CuttableProxy[] = [];
  const { plane, cluster, lines } = await worldOf(t, {
    proxy: async (port) => {
      const proxy = await startCuttableProxy(port);
      proxies.push(proxy);
      t.teardown(() => proxy.close());
      return proxy.port;
    },
  });
  const command = plane.install(agentId, { releaseName: 'shop', chartName: 'web', values: readyAfter(10) });
  await waiting(command);
  proxies[0]?.[kind]();
  await ready(cluster, 'shop-web');
  await eventually('the command has succeeded', () => lines.some((line) => line.includes('command succeeded')));
  t.not(command.state, 'done');
  proxies[0]?.cut();
  proxies[0]?.heal();

  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  t.like(events.at(-1), { type: 'result', payload: { ok: true } });
  t.deepEqual(
    events.flatMap((event) => (event.type === 'agent' ? [event.payload.connected] : [])),
    [false, true],
  );
  const statuses = events.flatMap((event) => (event.type === 'status' ? [event.payload] : []));
  t.deepEqual(
    statuses.map(({ seq }) => seq),
    statuses.map((_, index) => index + 1),
  );
  t.like(statuses.at(-1), { step: 'finish', state: 'done' });
  const back = events.findIndex((event) => event.type === 'agent' && event.payload.connected);
  t.true(events.slice(back).some((event) => event.type === 'status' && event.payload.state === 'done'));
});

test('packets from the time of a cut arrive over the next connection, in order and complete', broken, 'cut');
test('packets that a lost connection swallowed are sent again, in order and complete', broken, 'swallow');

test('an agent that stops undoes its running operations and reports it', async (t) => {
  const { plane, agent, cluster } = await worldOf(t);
  const first = { releaseName: 'second', chartName: 'web', values: 'migration: {enabled: false}' };
  await answerOf(plane.install(agentId, first));
  const install = plane.install(agentId, { releaseName: 'first', chartName: 'web', values: readyAfter(100_000) });
  const upgrade = plane.upgrade(agentId, { ...first, values: readyAfter(100_000) });
  await Promise.all([waiting(install), waiting(upgrade)]);
  await agent.stop();

  const installed = await failureOf(install);
  t.is(installed.code, 'cancelled');
  t.regex(installed.message, /^release first failed, and has been uninstalled .*: the agent is shutting down/);
  const upgraded = await failureOf(upgrade);
  t.is(upgraded.code, 'cancelled');
  t.regex(upgraded.message, /^release second failed, and has been rolled back .*: the agent is shutting down/);
  t.deepEqual(await contentsOf(cluster, 'default'), [
    'ConfigMap/second-web',
    'Deployment/second-web',
    ...[1, 2, 3].map((version) => `Secret/sh.helm.release.v1.second.v${version}`),
    'Service/second-web',
  ]);
  t.throws(() => plane.list(agentId), { code: 'agent_not_connected' });
});

test('an agent that stops aborts hanging downloads and endless templates', async (t) => {
  const { plane, agent, cluster } = await worldOf(t);
  const silent = await serve(t, { '/index.yaml': () => undefined });
  const endless = '{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}';
  const { url } = await serveApp(t, await packedApp({ 'endless.yaml': endless }));
  const commands = [silent.url, url].map((repoUrl, index) =>
    plane.install(agentId, { releaseName: `app-${index}`, namespace: 'none', chartName: 'app', repoUrl }),
  );
  await Promise.all([underWay(commands[0], 'load'), underWay(commands[1], 'render')]);
  await agent.stop();
  for (const command of commands) {
    t.deepEqual(await failureOf(command), {
      code: 'cancelled',
      message: 'cancelled: the agent is shutting down',
    });
  }
  t.is(await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'none' }), undefined);
});
