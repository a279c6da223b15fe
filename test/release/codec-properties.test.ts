import { gzipSync } from 'node:zlib';
import test from 'ava';
import { decodeRelease, encodeRelease } from '../../src/release/codec.ts';
import { ReleaseError } from '../../src/release/error.ts';
import fc from '../support/fast-check.ts';
import { sampleRelease } from './sample-release.ts';

const runs = { numRuns: 200 };

async function decodesOrThrowsReleaseError(text: string): Promise<void> {
  try {
    await decodeRelease(text);
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
  }
}

test('decodes values of any shape as they were encoded', async (t) => {
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

test('throws only ReleaseError for any text', async (t) => {
  await t.notThrowsAsync(() =>
    fc.assert(fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), decodesOrThrowsReleaseError), runs),
  );
});

test('throws only ReleaseError for any JSON', async (t) => {
  const field = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const almost = fc.record({ name: field, version: field, info: field, chart: field, hooks: field, manifest: field });
  await t.notThrowsAsync(() =>
    fc.assert(
      fc.asyncProperty(almost, (data) =>
        decodesOrThrowsReleaseError(gzipSync(JSON.stringify(data)).toString('base64')),
      ),
      runs,
    ),
  );
});
