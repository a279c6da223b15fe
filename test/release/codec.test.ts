import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { decodeRelease, encodeRelease } from '../../src/release/codec.ts';
import { ReleaseError } from '../../src/release/error.ts';
import { sampleRelease } from './sample-release.ts';

async function payload(file: string): Promise<string> {
  const text = await readFile(new URL(`fixtures/${file}`, import.meta.url), 'utf8');
  const secret = JSON.parse(text) as { data: { release: string } };
  return Buffer.from(secret.data.release, 'base64').toString();
}

for (const helm of ['helm3', 'helm4']) {
  test(`reads a release of ${helm}`, async (t) => {
    const release = await decodeRelease(await payload(`${helm}.secret.json`));
    t.is(release.name, helm);
    t.is(release.namespace, 'rel-fixture');
    t.is(release.version, 1);
    t.is(release.info.status, 'deployed');
    t.is(release.info.notes, `Installed ${helm} & <friends>.\n`);
    t.deepEqual(release.config, { answer: 42, greeting: 'hé <b>&' });
    t.is(release.chart.metadata?.name, 'mini');
    t.deepEqual(
      release.chart.templates?.map(({ name }) => name),
      ['templates/NOTES.txt', 'templates/config.yaml', 'templates/hook.yaml'],
    );
    t.like(release.hooks?.[0], { weight: -5, events: ['pre-install', 'pre-upgrade'] });
    t.is(release.hooks?.[0]?.last_run.phase, 'Succeeded');
    t.is(release.apply_method, helm === 'helm4' ? 'ssa' : undefined);
  });

  test(`writes all fields of a release of ${helm}`, async (t) => {
    const release = await decodeRelease(await payload(`${helm}.secret.json`));
    const again = await decodeRelease(await encodeRelease(release));
    t.deepEqual(again, release);
    t.is('modtime' in again.chart, helm === 'helm4');
  });
}

test('decodes what it encoded', async (t) => {
  const release = sampleRelease('web', 3, 'superseded');
  t.deepEqual(await decodeRelease(await encodeRelease(release)), release);
});

test('leaves an empty manifest out as Helm does, and reads it as empty', async (t) => {
  const encoded = await encodeRelease({ ...sampleRelease('web', 1, 'deployed'), manifest: '' });
  const json = JSON.parse(gunzipSync(Buffer.from(encoded, 'base64')).toString()) as object; // a release
  t.false('manifest' in json);
  t.is((await decodeRelease(encoded)).manifest, '');
});

test('encodes to gzip in base64', async (t) => {
  const packed = Buffer.from(await encodeRelease(sampleRelease('web', 1, 'deployed')), 'base64');
  t.deepEqual([...packed.subarray(0, 3)], [0x1f, 0x8b, 0x08]);
});

test('reads JSON that is not compressed', async (t) => {
  const release = sampleRelease('web', 1, 'deployed');
  t.deepEqual(await decodeRelease(Buffer.from(JSON.stringify(release)).toString('base64')), release);
});

test('reads a status that Helm does not have as unknown', async (t) => {
  const release = { ...sampleRelease('web', 1, 'deployed'), info: { status: 'paused' } };
  const text = Buffer.from(JSON.stringify(release)).toString('base64');
  t.is((await decodeRelease(text)).info.status, 'unknown');
});

test('keeps a key named __proto__ in the values', async (t) => {
  const config = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
  const again = await decodeRelease(await encodeRelease({ ...sampleRelease('web', 1, 'deployed'), config }));
  t.deepEqual(Object.keys(again.config ?? {}), ['__proto__']);
  t.is(({} as Record<string, unknown>)['polluted'], undefined);
});

const packed = gzipSync(JSON.stringify(sampleRelease('web', 1, 'deployed')));
const corrupt = test.macro({
  title: (_, what: string) => `refuses ${what}`,
  async exec(t, _what: string, text: string) {
    const error = await t.throwsAsync(decodeRelease(text), { instanceOf: ReleaseError });
    t.is(error.code, 'release_corrupt');
  },
});
test(corrupt, 'an empty text', '');
test(corrupt, 'text that is not base64', '%%%');
test(corrupt, 'JSON that is not a release', Buffer.from('{"name":"web"}').toString('base64'));
test(
  corrupt,
  'a release whose revision is 0',
  Buffer.from('{"name":"a","version":0,"info":{},"chart":{}}').toString('base64'),
);
test(corrupt, 'a truncated archive', packed.subarray(0, packed.length - 20).toString('base64'));

/** Returns releases that have the text in one of the fields that are times, each with its field. */
function withTime(text: string): [field: string, encoded: string][] {
  const release = sampleRelease('web', 1, 'deployed');
  const hook = { name: 'a', kind: 'Job', path: '', manifest: '', events: ['test'] };
  const releases = [
    ...['first_deployed', 'last_deployed', 'deleted'].map((field) => {
      return [field, { ...release, info: { ...release.info, [field]: text } }] as const;
    }),
    ...['started_at', 'completed_at'].map((field) => {
      return [field, { ...release, hooks: [{ ...hook, last_run: { phase: '', [field]: text } }] }] as const;
    }),
  ];
  return releases.map(([field, content]) => [field, Buffer.from(JSON.stringify(content)).toString('base64')]);
}

for (const text of ['yesterday', '2026-11-28t04:01:53z', '99999-01-01T00:00:00Z', '2026-02-30T04:01:53Z']) {
  for (const [field, encoded] of withTime(text)) test(corrupt, `${text} as ${field}`, encoded);
}

const times = test.macro({
  title: (_, text: string) => `reads the time ${JSON.stringify(text)}, as Helm does`,
  async exec(t, text: string) {
    for (const [field, encoded] of withTime(text)) await t.notThrowsAsync(decodeRelease(encoded), field);
  },
});
test(times, '');
test(times, '0001-01-01T00:00:00Z');
test(times, '2026-11-28T04:01:53.123456789+02:00');
test(times, '2026-11-28T4:01:53,5Z'); // not RFC 3339

test('refuses an archive that is larger than the limit after decompression', async (t) => {
  const error = await t.throwsAsync(decodeRelease(packed.toString('base64'), 100), { instanceOf: ReleaseError });
  t.is(error.code, 'release_too_large');
  t.is(error.message, 'the stored release unpacks to more than 100 bytes');
});
