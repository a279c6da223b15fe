import test, { type ExecutionContext } from 'ava';
import { excessRevisions, history, lastDeployed, lastSuccessful } from '../../../src/release/history.ts';
import { withStatus } from '../../../src/release/release.ts';
import { type KubeStorageOptions, openStorage } from '../../../src/release/storage/kube-storage.ts';
import { memoryStorage } from '../../../src/release/storage/memory.ts';
import { customLabels, type ReleaseStorage, type StoredRevision } from '../../../src/release/storage/storage.ts';
import { steppingHost } from '../../support/host.ts';
import { ObjectsInMemory } from '../objects-in-memory.ts';
import { sampleRelease } from '../sample-release.ts';

function options(): KubeStorageOptions {
  return {
    cluster: new ObjectsInMemory(),
    host: steppingHost(),
    onUnreadable(error) {
      throw error;
    },
  };
}

const drivers: Record<string, () => ReleaseStorage> = {
  memory: () => memoryStorage(steppingHost()),
  secret: () => openStorage('secret', options()),
  configmap: () => openStorage('configmap', options()),
};

function names(revisions: StoredRevision[]): string[] {
  return revisions.map(({ release }) => `${release.namespace}/${release.name}.v${release.version}`).sort();
}

async function filled(storage: ReleaseStorage): Promise<void> {
  await storage.create(sampleRelease('web', 1, 'superseded'), {});
  await storage.create(sampleRelease('web', 2, 'deployed'), {});
  await storage.create(sampleRelease('web', 10, 'failed'), {});
  await storage.create(sampleRelease('db', 1, 'deployed', 'data'), {});
}

function withStorage(title: string, run: (t: ExecutionContext, storage: ReleaseStorage) => Promise<void>): void {
  for (const [driver, create] of Object.entries(drivers)) test(`${driver}: ${title}`, (t) => run(t, create()));
}

withStorage('reads a revision as it was written', async (t, storage) => {
  const release = sampleRelease('web', 1, 'deployed');
  const created = await storage.create(release, { team: 'blue' });
  const read = await storage.get({ namespace: 'default', name: 'web', version: 1 });
  t.deepEqual(read, created);
  t.deepEqual(read?.release, release);
  t.deepEqual(customLabels(read?.labels ?? {}), { team: 'blue' });
});

withStorage('returns undefined for a revision that does not exist', async (t, storage) => {
  t.is(await storage.get({ namespace: 'default', name: 'web', version: 1 }), undefined);
  const deleted = await storage.create(sampleRelease('web', 1, 'deployed'), {});
  t.true(await storage.delete(deleted));
  t.false(await storage.delete(deleted));
});

withStorage('creates a revision only once', async (t, storage) => {
  await storage.create(sampleRelease('web', 1, 'deployed'), {});
  await t.throwsAsync(storage.create(sampleRelease('web', 1, 'deployed'), {}), { code: 'release_exists' });
});

withStorage(
  'an update changes the status and the labels, and drops the time of creation as Helm does',
  async (t, storage) => {
    const created = await storage.create(sampleRelease('web', 1, 'pending-install'), { team: 'blue' });
    await storage.update({ ...created, release: withStatus(created.release, 'deployed', 'Install complete') });
    const [read] = await storage.query({ status: 'deployed' });
    t.is(read?.release.info.status, 'deployed');
    t.deepEqual(read?.labels, {
      modifiedAt: '1700000002',
      name: 'web',
      owner: 'helm',
      status: 'deployed',
      team: 'blue',
      version: '1',
    });
  },
);

withStorage('refuses an update of a revision that has changed', async (t, storage) => {
  const created = await storage.create(sampleRelease('web', 1, 'pending-install'), {});
  await storage.update(created);
  await t.throwsAsync(storage.update(created), { code: 'release_conflict' });
});

withStorage('refuses an update of a revision that was deleted', async (t, storage) => {
  const created = await storage.create(sampleRelease('web', 1, 'pending-install'), {});
  t.true(await storage.delete(created));
  await t.throwsAsync(storage.update(created), { code: 'release_not_found' });
});

withStorage('finds revisions by namespace, name and status', async (t, storage) => {
  await filled(storage);
  t.is((await storage.query({})).length, 4);
  t.deepEqual(names(await storage.query({ namespace: 'data' })), ['data/db.v1']);
  t.deepEqual(names(await storage.query({ name: 'web', status: 'deployed' })), ['default/web.v2']);
});

withStorage('finds the highest revision before it looks at the status', async (t, storage) => {
  await filled(storage);
  t.deepEqual(names(await storage.query({ latestOnly: true })), ['data/db.v1', 'default/web.v10']);
  t.deepEqual(names(await storage.query({ latestOnly: true, status: 'deployed' })), ['data/db.v1']);
});

withStorage('leaves out what a list does not show', async (t, storage) => {
  await storage.create({ ...sampleRelease('web', 1, 'deployed'), config: { password: 'x' } }, {});
  const [stored] = await storage.query({ summary: true });
  if (stored === undefined) throw new Error('nothing is stored');
  const { release } = stored;
  t.is(release.chart.metadata?.name, sampleRelease('web', 1, 'deployed').chart.metadata?.name);
  t.deepEqual([release.config, release.manifest, release.chart.templates], [undefined, '', null]);
});

withStorage('sorts the history by revision', async (t, storage) => {
  await filled(storage);
  const revisions = await history(storage, 'default', 'web');
  t.deepEqual(
    revisions.map(({ release }) => release.version),
    [1, 2, 10],
  );
  t.is(lastDeployed(revisions)?.release.version, 2);
  t.is(lastSuccessful(revisions)?.release.version, 2);
  t.is(lastSuccessful(revisions.slice(0, 1))?.release.version, 1);
});

withStorage('pruning keeps the deployed revision', async (t, storage) => {
  await storage.create(sampleRelease('web', 1, 'deployed'), {});
  for (const version of [2, 3, 4, 5]) await storage.create(sampleRelease('web', version, 'failed'), {});
  const revisions = await history(storage, 'default', 'web');
  const excess = (limit: number) => excessRevisions(revisions, limit).map(({ release }) => release.version);
  t.deepEqual(excess(5), []);
  t.deepEqual(excess(3), [2, 3]);
  t.deepEqual(excess(0), [2, 3, 4, 5]);
});
