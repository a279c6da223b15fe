import { randomBytes } from 'node:crypto';
import test from 'ava';
import type { ReleaseError } from '../../../src/release/error.ts';
import { secretStorage } from '../../../src/release/storage/secret.ts';
import { fixedHost } from '../fixed-host.ts';
import { sampleRelease } from '../sample-release.ts';
import { SecretsInMemory } from '../secrets-in-memory.ts';

function setUp() {
  const secrets = new SecretsInMemory();
  const unreadable: ReleaseError[] = [];
  const storage = secretStorage({ secrets, host: fixedHost(), onUnreadable: (error) => unreadable.push(error) });
  return { secrets, unreadable, storage };
}

test('a revision is a Secret with the name, type and labels that Helm looks for', async (t) => {
  const { secrets, storage } = setUp();
  await storage.create(sampleRelease('web', 7, 'deployed', 'shop'), { team: 'blue' });
  const secret = secrets.objects.get('shop/sh.helm.release.v1.web.v7');
  t.is(secret?.['type'], 'helm.sh/release.v1');
  t.deepEqual(secret?.metadata.labels, {
    createdAt: '1700000001',
    name: 'web',
    owner: 'helm',
    status: 'deployed',
    team: 'blue',
    version: '7',
  });
});

test('among many, a Secret that cannot be read is reported and left out', async (t) => {
  const { secrets, unreadable, storage } = setUp();
  await storage.create(sampleRelease('web', 1, 'deployed'), {});
  await storage.create(sampleRelease('db', 1, 'deployed'), {});
  const secret = secrets.objects.get('default/sh.helm.release.v1.web.v1');
  if (secret) secret['data'] = { release: 'AAAA' };
  t.deepEqual(
    (await storage.query({})).map(({ release }) => release.name),
    ['db'],
  );
  t.is(unreadable.length, 1);
  t.regex(unreadable[0]?.message ?? '', /^Secret default\/sh\.helm\.release\.v1\.web\.v1: /);
  await t.throwsAsync(storage.query({ name: 'web' }), { code: 'release_corrupt' });
});

test('a release that no Secret can hold is refused before the API is asked', async (t) => {
  const { secrets, storage } = setUp();
  const manifest = randomBytes(900_000).toString('base64');
  const error = await t.throwsAsync(storage.create({ ...sampleRelease('web', 1, 'deployed'), manifest }, {}));
  t.like(error, { code: 'release_too_large' });
  t.is(secrets.objects.size, 0);
});

test('what the API answers besides is passed on', async (t) => {
  const { secrets, storage } = setUp();
  secrets.create = () => Promise.reject(Object.assign(new Error('no'), { code: 'forbidden' }));
  await t.throwsAsync(storage.create(sampleRelease('web', 1, 'deployed'), {}), { code: 'forbidden' });
});
