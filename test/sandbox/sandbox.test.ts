import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { load } from 'js-yaml';
import { connectCluster } from '../../src/kube/cluster.ts';
import { listAt, objectsAt, stringAt } from '../../src/objects/fields.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { configMap, openEnvironment } from '../api/environment.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';

test('accepts only its own token, and presents its own certificate', async (t) => {
  const sandbox = await startSandbox({ host: realHost });
  t.teardown(() => sandbox.close());
  const config = load(sandbox.kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: { token: string } }[];
  };
  const [user] = config.users;
  t.regex(user?.user.token ?? '', /^[\w-]{32}$/);
  const unauthenticated = connectCluster({
    text: JSON.stringify({ ...config, users: [{ name: 'sandbox', user: { token: 'guess' } }] }),
  });
  t.teardown(() => unauthenticated.close());
  await t.throwsAsync(unauthenticated.capabilities(), { code: 'unauthorized' });

  const [entry] = config.clusters;
  const other = await startSandbox({ host: realHost });
  t.teardown(() => other.close());
  const certificate = { ...entry?.cluster, 'certificate-authority-data': Buffer.from(other.ca).toString('base64') };
  const distrustful = connectCluster(
    { text: JSON.stringify({ ...config, clusters: [{ name: 'sandbox', cluster: certificate }] }) },
    { retryDelays: [] },
  );
  t.teardown(() => distrustful.close());
  await t.throwsAsync(distrustful.capabilities(), { code: 'unreachable' });
});

test('reports a version before the history of watches as expired', async (t) => {
  const sandbox = await startSandbox({ host: realHost, historyLimit: 3 });
  const environment = openEnvironment(sandbox.kubeconfig, () => sandbox.close());
  t.teardown(() => environment.close());
  const { cluster, raw } = environment;
  const first = await cluster.create(configMap('default', 'first'));
  for (const name of ['a', 'b', 'c', 'd', 'e']) await cluster.create(configMap('default', name));
  const version = first.metadata.resourceVersion ?? '';
  const { text } = await raw('GET', `/api/v1/configmaps?watch=true&resourceVersion=${version}&timeoutSeconds=1`);
  t.like(JSON.parse(text), { type: 'ERROR', object: { code: 410, reason: 'Expired' } });
});

test('closes the sandbox and its watches on an abort signal', async (t) => {
  const stop = new AbortController();
  const sandbox = await startSandbox({ host: realHost, signal: stop.signal });
  const cluster = connectCluster({ text: sandbox.kubeconfig }, { retryDelays: [] });
  t.teardown(() => cluster.close());
  t.regex((await cluster.capabilities()).version.gitVersion, /^v1\./);
  const environment = openEnvironment(sandbox.kubeconfig);
  t.teardown(() => environment.close());
  const watch = environment.raw('GET', '/api/v1/configmaps?watch=true');
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop.abort();
  await t.throwsAsync(watch);
  await t.throwsAsync(cluster.capabilities(), { code: 'unreachable' });
});

test('closes connections that have not sent anything', async (t) => {
  const sandbox = await startSandbox({ host: realHost });
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await sandbox.close();
  await closed;
  t.true(socket.destroyed);
});

test('keeps the objects of two sandboxes apart', async (t) => {
  const environments = await Promise.all(
    [1, 2].map(async () => {
      const sandbox = await startSandbox({ host: realHost });
      return openEnvironment(sandbox.kubeconfig, () => sandbox.close());
    }),
  );
  t.teardown(() => Promise.all(environments.map((environment) => environment.close())));
  await environments[0]?.cluster.create(configMap('default', 'a'));
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
  t.is(await environments[1]?.cluster.get(ref), undefined);
});

test('serves plain HTTP if that is asked for', async (t) => {
  const sandbox = await startSandbox({ host: realHost, scheme: 'http' });
  t.teardown(() => sandbox.close());
  t.regex(sandbox.url, /^http:/);
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(() => cluster.close());
  t.regex((await cluster.capabilities()).version.gitVersion, /^v1\./);
});

test('listens on the given address and port', async (t) => {
  const first = await startSandbox({ host: realHost });
  const { port } = new URL(first.url);
  await first.close();
  const second = await startSandbox({ host: realHost, address: 'localhost', port: Number(port) });
  t.teardown(() => second.close());
  t.is(second.url, `https://localhost:${port}`);
  const cluster = connectCluster({ text: second.kubeconfig });
  t.teardown(() => cluster.close());
  t.regex((await cluster.capabilities()).version.gitVersion, /^v1\./);
});

test('says that pods have no containers to connect to', async (t) => {
  const sandbox = await startSandbox({ host: realHost });
  const environment = openEnvironment(sandbox.kubeconfig, () => sandbox.close());
  t.teardown(() => environment.close());
  const { cluster, raw } = environment;
  const spec = { containers: [{ name: 'app', image: 'app' }] };
  await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec });
  const message = 'the sandbox runs no containers: exec, attach and port-forward work only in a real cluster';
  const pod = { namespace: 'default', name: 'web' };
  const signal = AbortSignal.timeout(10_000);
  const shell = { command: ['sh'], input: true, tty: true, signal };
  await t.throwsAsync(cluster.exec({ ...pod, container: 'app' }, shell), { code: 'bad_request', message });
  await t.throwsAsync(cluster.forwardPort(pod, { port: 80, signal }), { code: 'bad_request', message });
  const attached = await raw('POST', '/api/v1/namespaces/default/pods/web/attach');
  t.like(attached.body, { kind: 'Status', reason: 'BadRequest', code: 400, message });
  await t.throwsAsync(cluster.forwardPort({ ...pod, name: 'other' }, { port: 80, signal }), {
    code: 'not_found',
    message: 'pods "other" not found',
  });
});

test('has a ready node, whose conditions are never older than five minutes', async (t) => {
  let later = 0n;
  const sandbox = await startSandbox({ host: { ...realHost, now: () => realHost.now() + later }, speed: 20 });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  t.teardown(async () => {
    await cluster.close();
    await sandbox.close();
  });
  const node = { apiVersion: 'v1', kind: 'Node', name: 'sandbox' };
  const heartbeat = async () => {
    const conditions = objectsAt(await cluster.get(node), 'status', 'conditions');
    const ready = conditions.find(({ type, status }) => type === 'Ready' && status === 'True');
    return Date.parse(stringAt(ready, 'lastHeartbeatTime') ?? '');
  };
  await eventually('the node is ready', async () => Math.abs(Date.now() - (await heartbeat())) < 60_000);
  const [first] = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
  t.is(stringAt(first, 'status', 'nodeInfo', 'kubeletVersion'), 'v1.35.0');
  t.deepEqual(
    objectsAt(first, 'status', 'conditions').map(({ type, status }) => `${String(type)} ${String(status)}`),
    ['MemoryPressure False', 'DiskPressure False', 'PIDPressure False', 'Ready True'],
  );
  later = 6n * 60n * 1_000_000_000n;
  await cluster.mergePatch(node, { metadata: { labels: { zone: 'a' } } });
  await eventually('the node is ready again', async () => (await heartbeat()) - Date.now() > 5 * 60_000);
});

test('says what the user may do', async (t) => {
  const sandbox = await startSandbox({ host: realHost });
  const environment = openEnvironment(sandbox.kubeconfig, () => sandbox.close());
  t.teardown(() => environment.close());
  const { cluster, raw } = environment;
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', metadata: { name: '' } };
  const { status } = await cluster.create({ ...review, spec: { namespace: 'default' } });
  t.deepEqual(listAt(status, 'resourceRules'), [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const attributes = { nonResourceAttributes: { verb: 'get', path: '/logs' } };
  t.like(await raw('POST', path, { body: { spec: attributes } }), { status: 201, body: { status: { allowed: true } } });
  t.is((await raw('POST', path, { body: '{' })).status, 400);
  t.is((await raw('GET', path)).status, 405);
});
