import test from 'ava';
import { load } from 'js-yaml';
import { connectCluster } from '../../src/kube/cluster.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { configMap, openEnvironment } from '../api/environment.ts';
import { realHost } from '../support/host.ts';

test('the sandbox answers only to its token, and over its own certificate', async (t) => {
  const sandbox = await startSandbox({ host: realHost });
  t.teardown(() => sandbox.close());
  const config = load(sandbox.kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: { token: string } }[];
  };
  const [user] = config.users;
  t.regex(user?.user.token ?? '', /^[\w-]{32}$/);
  const stranger = connectCluster({
    text: JSON.stringify({ ...config, users: [{ name: 'sandbox', user: { token: 'guess' } }] }),
  });
  t.teardown(() => stranger.close());
  await t.throwsAsync(stranger.capabilities(), { code: 'unauthorized' });

  const [entry] = config.clusters;
  const other = await startSandbox({ host: realHost });
  t.teardown(() => other.close());
  const certificate = { ...entry?.cluster, 'certificate-authority-data': Buffer.from(other.ca).toString('base64') };
  const misled = connectCluster(
    { text: JSON.stringify({ ...config, clusters: [{ name: 'sandbox', cluster: certificate }] }) },
    { retryDelays: [] },
  );
  t.teardown(() => misled.close());
  await t.throwsAsync(misled.capabilities(), { code: 'unreachable' });
});

test('a version beyond the history of watches is expired, and observe lists again', async (t) => {
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

test('a signal ends the sandbox and its watches', async (t) => {
  const stop = new AbortController();
  const sandbox = await startSandbox({ host: realHost, signal: stop.signal });
  const cluster = connectCluster({ text: sandbox.kubeconfig }, { retryDelays: [] });
  t.teardown(() => cluster.close());
  t.truthy((await cluster.capabilities()).version);
  stop.abort();
  await t.throwsAsync(cluster.capabilities(), { code: 'unreachable' });
});

test('two sandboxes know nothing of each other', async (t) => {
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
