import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { isJsonObject } from '../../../src/objects/fields.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { ReleaseError } from '../../../src/release/error.ts';
import type { ReleaseStatus } from '../../../src/release/status.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import type { RevisionQuery } from '../../../src/release/storage/storage.ts';
import { steppingHost } from '../../support/host.ts';
import { ObjectsInMemory } from '../objects-in-memory.ts';
import { sampleRelease } from '../sample-release.ts';

const drivers = [
  { kind: 'Secret', type: 'helm.sh/release.v1', driver: 'secret', golden: 'helm4.secret.json' },
  { kind: 'ConfigMap', type: undefined, driver: 'configmap', golden: 'helm4.configmap.json' },
] as const;
type Driver = (typeof drivers)[number];

function setUp({ driver }: Driver) {
  const cluster = new ObjectsInMemory();
  const unreadable: ReleaseError[] = [];
  const storage = openStorage(driver, {
    cluster,
    host: steppingHost(),
    onUnreadable: (error) => unreadable.push(error),
  });
  return { cluster, unreadable, storage };
}

function golden(file: string): KubeObject {
  const url = new URL(`../fixtures/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as KubeObject; // written by Helm
}

/** Runs a test for each driver. */
function forEachDriver(title: string, run: (t: ExecutionContext, driver: Driver) => Promise<void>): void {
  for (const driver of drivers) test(`${driver.kind}: ${title}`, (t) => run(t, driver));
}

forEachDriver('has the name, type and labels that Helm looks for', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  await storage.create(sampleRelease('web', 7, 'deployed', 'shop'), { team: 'blue' });
  const object = cluster.objects.get(`${driver.kind} shop/sh.helm.release.v1.web.v7`);
  t.is(object?.['type'], driver.type);
  t.deepEqual(object?.metadata.labels, {
    createdAt: '1700000001',
    name: 'web',
    owner: 'helm',
    status: 'deployed',
    team: 'blue',
    version: '7',
  });
});

forEachDriver('reads and writes objects in the form of Helm', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  const helm = golden(driver.golden);
  helm.metadata.namespace = 'rel-fixture';
  await cluster.create(helm);
  const [revision] = await storage.query({ name: 'helm4' });
  if (!revision) throw new Error('not found');
  t.like(revision.release, { name: 'helm4', namespace: 'rel-fixture', config: { answer: 42 } });

  await storage.update(revision);
  const written = await cluster.get({ ...helm, namespace: 'rel-fixture', name: helm.metadata.name });
  t.deepEqual(Object.keys(written ?? {}).sort(), Object.keys(helm).sort());
  t.deepEqual(Object.keys(written?.metadata.labels ?? {}).sort(), Object.keys(helm.metadata.labels ?? {}).sort());
  t.true(isJsonObject(written?.['data']));
  t.deepEqual((await storage.get({ namespace: 'rel-fixture', name: 'helm4', version: 1 }))?.release, revision.release);
});

forEachDriver('reports an unreadable object of a query over all names, and leaves it out', async (t, driver) => {
  const { cluster, unreadable, storage } = setUp(driver);
  await storage.create(sampleRelease('web', 1, 'deployed'), {});
  await storage.create(sampleRelease('db', 1, 'deployed'), {});
  const object = cluster.objects.get(`${driver.kind} default/sh.helm.release.v1.web.v1`);
  if (object) object['data'] = { release: 'AAAA' };
  t.deepEqual(
    (await storage.query({})).map(({ release }) => release.name),
    ['db'],
  );
  t.is(unreadable.length, 1);
  t.true(unreadable[0]?.message.startsWith(`${driver.kind} default/sh.helm.release.v1.web.v1: `));
  await t.throwsAsync(storage.query({ name: 'web' }), { code: 'release_corrupt' });
  await storage.create(sampleRelease('web', 2, 'failed'), {});
  t.is((await storage.query({ name: 'web' })).length, 1, 'the other revisions of the release are found');
  await t.throwsAsync(storage.get({ namespace: 'default', name: 'web', version: 1 }), { code: 'release_corrupt' });
});

forEachDriver('refuses a release that is too large before it sends a request', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  const manifest = randomBytes(900_000).toString('base64');
  const error = await t.throwsAsync(storage.create({ ...sampleRelease('web', 1, 'deployed'), manifest }, {}));
  t.like(error, { code: 'release_too_large' });
  t.regex(error.message, new RegExp(`but a ${driver.kind} holds at most 1 MiB`));
  t.is(cluster.objects.size, 0);
});

forEachDriver('passes on other errors of the cluster', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  cluster.create = () => Promise.reject(Object.assign(new Error('no'), { code: 'forbidden' }));
  await t.throwsAsync(storage.create(sampleRelease('web', 1, 'deployed'), {}), { code: 'forbidden' });
});

forEachDriver('reads only the highest revisions when only these are wanted', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  for (const version of [1, 2, 10]) await storage.create(sampleRelease('web', version, 'superseded'), {});
  await storage.create(sampleRelease('db', 1, 'deployed'), {});
  const versions = async (query: RevisionQuery) =>
    (await storage.query(query)).map(({ release: { name, version } }) => `${name} ${version}`).sort();
  t.deepEqual(await versions({ latestOnly: true }), ['db 1', 'web 10']);
  t.deepEqual(cluster.read.sort(), ['sh.helm.release.v1.db.v1', 'sh.helm.release.v1.web.v10']);
  t.deepEqual(await versions({ latestOnly: true, status: 'deployed' }), ['db 1']);
});

forEachDriver('reads few revisions by one list, and those that are not in it one by one', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  const add = (name: string, version: number, status: ReleaseStatus) =>
    storage.create(sampleRelease(name, version, status, `in-${name}`), {});
  for (const name of ['web', 'db', 'queue']) {
    for (const version of [1, 2]) await add(name, version, 'superseded');
    await add(name, 3, 'deployed');
  }
  await add('queue', 4, 'failed');
  await add('old', 1, 'superseded');
  const latest = async () =>
    (await storage.query({ latestOnly: true })).map(({ release: { name, version } }) => `${name} ${version}`).sort();
  t.deepEqual(await latest(), ['db 3', 'old 1', 'queue 4', 'web 3']);
  t.is(cluster.lists, 1);
  t.deepEqual(cluster.read, ['sh.helm.release.v1.old.v1']);
});

forEachDriver('reads many revisions one by one, so that they are not in memory together', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  for (let count = 0; count < 21; count += 1) await storage.create(sampleRelease(`web-${count}`, 1, 'deployed'), {});
  t.is((await storage.query({ latestOnly: true })).length, 21);
  t.is(cluster.lists, 0);
  t.is(cluster.read.length, 21);
});

forEachDriver('leaves out a revision that is deleted while it is read', async (t, driver) => {
  const { cluster, storage } = setUp(driver);
  await storage.create(sampleRelease('web', 1, 'deployed'), {});
  cluster.get = () => Promise.resolve(undefined);
  t.deepEqual(await storage.query({ latestOnly: true }), []);
});
