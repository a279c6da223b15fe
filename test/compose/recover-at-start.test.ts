import test, { type ExecutionContext } from 'ava';
import { agentOf, type AgentSetup } from '../../src/compose/agent-of.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { withStatus } from '../../src/release/release.ts';
import type { ReleaseStatus } from '../../src/release/status.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { recordingLog } from '../agent/support/log.ts';
import { sampleRelease } from '../release/sample-release.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';

const statuses = ['pending-install', 'pending-upgrade', 'pending-rollback', 'uninstalling'] as const;

/** A cluster with unfinished releases of the agents `edge-1` and `edge-2`, and of helm. */
async function leftovers(t: ExecutionContext) {
  const sandbox = await startSandbox({ host: realHost });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  const onUnreadable = (error: Error) => {
    throw error;
  };
  const storageOf = (agentId?: string) =>
    openStorage('secret', {
      ...{ cluster, host: realHost, onUnreadable },
      ...(agentId !== undefined && { holder: { agentId, instanceId: 'ended' } }),
    });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const status of statuses) {
    await storageOf('edge-1').create(sampleRelease(`own-${status}`, 1, status, 'shop'), {});
  }
  await storageOf('edge-2').create(sampleRelease('other', 1, 'pending-upgrade', 'shop'), {});
  await storageOf().create(sampleRelease('helm', 1, 'pending-upgrade', 'shop'), {});
  await storageOf('edge-1').create(sampleRelease('done', 1, 'deployed', 'shop'), {});
  const { log, lines } = recordingLog();
  const start = async (setup: Partial<AgentSetup>, whileItRuns = () => Promise.resolve()) => {
    const listen = { host: '127.0.0.1', port: 0 };
    const agent = await agentOf({ agentId: 'edge-1', cluster: { text: sandbox.kubeconfig }, listen, log, ...setup });
    await whileItRuns();
    await agent.stop();
  };
  t.teardown(async () => {
    await cluster.close();
    await sandbox.close();
  });
  const found = async () => {
    const revisions = await storageOf().query({ namespace: 'shop' });
    return Object.fromEntries(revisions.map(({ release: { name, info } }) => [name, info.status]));
  };
  return { start, found, lines, cluster, storageOf };
}

const others = { other: 'pending-upgrade', helm: 'pending-upgrade', done: 'deployed' };

function own(statusOf: (status: ReleaseStatus) => ReleaseStatus) {
  return Object.fromEntries(statuses.map((status) => [`own-${status}`, statusOf(status)]));
}

test('an agent with a journal stores that the releases of its ended processes have failed', async (t) => {
  const { start, found, storageOf, cluster } = await leftovers(t);
  await start({ journal: 'cluster' });
  t.deepEqual(await found(), { ...own(() => 'failed'), ...others });
  const recovered = await storageOf().get({ namespace: 'shop', name: 'own-uninstalling', version: 1 });
  t.is(recovered?.release.info.description, 'Recovered: its agent ended while it was uninstalling');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'shop',
    name: 'sh.helm.release.v1.own-uninstalling.v1',
  };
  t.is((await cluster.get(secret))?.metadata.annotations, undefined, 'the work on it has ended');
});

test('an agent without a journal logs them, unless it is to recover them', async (t) => {
  const { start, found, lines } = await leftovers(t);
  const releases = () =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'an ended process has left the release unfinished')
      .map(({ release }) => release);
  await start({}, async () => {
    await eventually('all releases are recovered', () => releases().length >= statuses.length);
  });
  t.deepEqual(await found(), { ...own((status) => status), ...others });
  t.deepEqual(releases().sort(), statuses.map((status) => `shop/own-${status}`).sort());
  await start({ recover: 'auto' });
  t.deepEqual(await found(), { ...own(() => 'failed'), ...others });
});

test('a revision says who works on it until it is finished', async (t) => {
  const { storageOf, cluster } = await leftovers(t);
  const storage = storageOf('edge-1');
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'sh.helm.release.v1.web.v1' };
  const annotations = async () => (await cluster.get(ref))?.metadata.annotations;
  const created = await storage.create(sampleRelease('web', 1, 'pending-install', 'shop'), {});
  const holder = { 'helm-agent/agent': 'edge-1', 'helm-agent/instance': 'ended' };
  t.deepEqual(await annotations(), holder);
  const again = await storage.update(created);
  t.deepEqual(await annotations(), holder);
  const deployed = await storage.update({ ...again, release: withStatus(again.release, 'deployed', 'done') });
  t.is(await annotations(), undefined);
  await storage.update({ ...deployed, release: withStatus(again.release, 'uninstalling', 'going') });
  t.deepEqual(await annotations(), holder);
});
