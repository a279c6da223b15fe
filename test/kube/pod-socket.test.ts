import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import test from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { childModule } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';
import { kubeconfigOf } from './fake-server.ts';
import { podTexts, portText, startPodApi } from './pod-api.ts';
import { startHttpProxy, startSilentProxy, startSocksProxy } from './proxies.ts';

const never = new AbortController().signal;
const proxies = { http: startHttpProxy, socks5: startSocksProxy };
type ProxyKind = keyof typeof proxies;

const connects = test.macro({
  async exec(t, kind: ProxyKind) {
    const { port } = await startPodApi(t);
    const { address, asked, credentials } = await proxies[kind](t, port);
    const proxyUrl = `${kind}://${kind === 'http' ? 'ann:p%40ss@' : ''}${address}`;
    const cluster = connectCluster({ text: kubeconfigOf('https://api.example:6443', {}, { 'proxy-url': proxyUrl }) });
    t.teardown(() => cluster.close());
    t.deepEqual(await podTexts(cluster), ['hello', 'hello']);
    t.deepEqual([...new Set(asked)], ['api.example:6443']);
    t.deepEqual(
      [...new Set(credentials)],
      kind === 'http' ? [`Basic ${Buffer.from('ann:p@ss').toString('base64')}`] : [],
    );
  },
  title: (_, kind: ProxyKind) => `processes and ports of pods are reached through the ${kind} proxy of the cluster`,
});
test(connects, 'http');
test(connects, 'socks5');

test('the environment names the proxy to an API server other than this machine, unless the kubeconfig does', async (t) => {
  const { port } = await startPodApi(t);
  const [proxy, other] = [await startHttpProxy(t, port), await startHttpProxy(t, port)];
  const proxyEnv = { HTTPS_PROXY: proxy.address, NO_PROXY: '10.0.0.0/8' };
  const textsOf = async (server: string, cluster: object = {}) => {
    const connected = connectCluster({ text: kubeconfigOf(server, {}, cluster) }, { proxyEnv });
    t.teardown(() => connected.close());
    t.deepEqual(await podTexts(connected), ['hello', 'hello']);
  };
  await textsOf('https://api.example:6443');
  t.deepEqual([...new Set(proxy.asked)], ['api.example:6443']);
  await textsOf('https://api.example', { 'proxy-url': `http://${other.address}` });
  t.deepEqual([...new Set(other.asked)], ['api.example:443']);
  await textsOf(`https://127.0.0.1:${port}`);
  t.deepEqual([...new Set(proxy.asked)], ['api.example:6443']);
});

test('what waits for the tunnel of a proxy that does not respond ends by its signal', async (t) => {
  const proxyUrl = `http://${await startSilentProxy(t)}`;
  const cluster = connectCluster({ text: kubeconfigOf('https://api.example', {}, { 'proxy-url': proxyUrl }) });
  t.teardown(() => cluster.close());
  const pod = { namespace: 'shop', name: 'web-0' };
  const isOver = { name: 'TimeoutError' };
  await t.throwsAsync(cluster.get({ apiVersion: 'v1', kind: 'Pod', ...pod }, AbortSignal.timeout(100)), isOver);
  await t.throwsAsync(cluster.forwardPort(pod, { port: 80, signal: AbortSignal.timeout(100) }), isOver);
});

test.serial('a tunnel to a server that does not respond is given up after 30 s', async (t) => {
  const silent = await startSilentProxy(t);
  const { address, asked } = await startHttpProxy(t, Number(silent.split(':')[1]));
  const proxyUrl = `http://${address}`;
  const cluster = connectCluster({ text: kubeconfigOf('https://api.example', {}, { 'proxy-url': proxyUrl }) });
  t.teardown(() => cluster.close());
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const opening = cluster.forwardPort({ namespace: 'shop', name: 'web-0' }, { port: 80, signal: never });
    const refused = t.throwsAsync(opening, { code: 'unreachable' });
    while (asked.length === 0) await nextTurn();
    mock.timers.tick(30_000);
    await refused;
  } finally {
    mock.timers.reset();
  }
});

test('the environment names a SOCKS5 proxy to an API server', async (t) => {
  const { port } = await startPodApi(t);
  const { address, asked } = await startSocksProxy(t, port);
  const proxyEnv = { HTTPS_PROXY: `socks5://${address}` };
  const cluster = connectCluster({ text: kubeconfigOf('https://api.example:6443') }, { proxyEnv });
  t.teardown(() => cluster.close());
  t.deepEqual(await podTexts(cluster), ['hello', 'hello']);
  t.deepEqual([...new Set(asked)], ['api.example:6443']);
});

const connectsInProgram = test.macro({
  async exec(t, kind: ProxyKind) {
    const { port } = await startPodApi(t);
    const { address, asked } = await proxies[kind](t, port);
    const folder = mkdtempSync(join(tmpdir(), 'helm-agent-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const kubeconfig = join(folder, 'config');
    writeFileSync(kubeconfig, kubeconfigOf('https://api.example', {}, { 'proxy-url': `${kind}://${address}` }));
    const { stdout } = await promisify(execFile)(process.execPath, [childModule('pod-texts'), kubeconfig], {
      env: { ...process.env, ...quickStart() },
    });
    t.is(stdout, 'hello,hello\n');
    t.deepEqual([...new Set(asked)], ['api.example:443']);
  },
  title: (_, kind: ProxyKind) => `the bundled program reaches pods through the ${kind} proxy of the cluster`,
});
test(connectsInProgram, 'http');
test(connectsInProgram, 'socks5');

test('the certificate of the API server is verified through a proxy', async (t) => {
  const { port, ca } = await startPodApi(t);
  const { address } = await startHttpProxy(t, port);
  const trusting = {
    'insecure-skip-tls-verify': false,
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
    'proxy-url': `http://${address}`,
  };
  const textFrom = async (server: string) => {
    const cluster = connectCluster({ text: kubeconfigOf(server, {}, trusting) });
    t.teardown(() => cluster.close());
    return await portText(cluster);
  };
  t.is(await textFrom('https://localhost:6443'), 'hello');
  await t.throwsAsync(textFrom('https://api.example:6443'), { code: 'unreachable' });
});
