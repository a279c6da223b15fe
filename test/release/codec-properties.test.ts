import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { decodeRelease, encodeRelease } from '../../src/release/codec.ts';
import { ReleaseError } from '../../src/release/error.ts';
import { sampleRelease } from './sample-release.ts';

const runs = { numRuns: 200 };

async function onlyItsOwnErrors(text: string): Promise<void> {
  try {
    await decodeRelease(text);
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
  }
}

test('values of any shape come back as they were', async (t) => {
  const config = fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }));
  await fc.assert(
    fc.asyncProperty(config, async (values) => {
      const release = { ...sampleRelease('web', 1, 'deployed'), config: values };
      const again = await decodeRelease(await encodeRelease(release));
      t.is(JSON.stringify(again.config), JSON.stringify(values));
    }),
    runs,
  );
});

test('any text is a release or a corrupt one', async (t) => {
  await fc.assert(fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), onlyItsOwnErrors), runs);
  t.pass();
});

test('any JSON is a release or a corrupt one', async (t) => {
  const field = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const almost = fc.record({ name: field, version: field, info: field, chart: field, hooks: field, manifest: field });
  await fc.assert(
    fc.asyncProperty(almost, (data) => onlyItsOwnErrors(gzipSync(JSON.stringify(data)).toString('base64'))),
    runs,
  );
  t.pass();
});
