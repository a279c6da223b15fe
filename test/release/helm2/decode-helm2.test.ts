import { gunzipSync, gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import test from 'ava';
import { decodeHelm2Release } from '../../../src/release/helm2/decode-helm2.ts';
import fc from '../../support/fast-check.ts';
import { helm2Records } from './records.ts';

const limit = 1024 * 1024;

for (const { configMap, release } of await helm2Records()) {
  test(`reads ${configMap.metadata.name}, ${release.info.status}, as the plugin helm-2to3 does`, async (t) => {
    t.deepEqual(await decodeHelm2Release(configMap.data.release, limit), release);
  });
}

test('reads a release that is not compressed, as those of old Tillers', async (t) => {
  const [record] = await helm2Records();
  const plain = gunzipSync(Buffer.from(record?.configMap.data.release ?? '', 'base64')).toString('base64');
  t.deepEqual(await decodeHelm2Release(plain, limit), record?.release);
});

const empty = (writer: BinaryWriter, field: number) =>
  writer.tag(field, WireType.LengthDelimited).bytes(new Uint8Array());
/** A release with the least that it must have, and what `add` writes. */
function encoded(add: (writer: BinaryWriter) => unknown): string {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string('web');
  writer.tag(2, WireType.LengthDelimited).fork();
  empty(writer, 1);
  writer.join();
  empty(writer, 3);
  writer.tag(7, WireType.Varint).int32(1);
  add(writer);
  return Buffer.from(writer.finish()).toString('base64');
}

test('skips fields that Helm 2 does not have', async (t) => {
  const text = encoded((writer) => {
    writer.tag(90, WireType.Varint).int32(7);
    writer.tag(91, WireType.Bit64).fixed64(7);
    writer.tag(92, WireType.StartGroup).tag(1, WireType.Bit32).fixed32(7).tag(92, WireType.EndGroup);
  });
  t.like(await decodeHelm2Release(text, limit), { name: 'web', version: 1, manifest: '' });
});

const hook = (writer: BinaryWriter, add: (writer: BinaryWriter) => unknown) => {
  writer.tag(6, WireType.LengthDelimited).fork();
  add(writer);
  writer.join();
};

const corrupt: [string, string, string | RegExp][] = [
  ['no data', '', 'it has no info'],
  ['text', Buffer.from('hello').toString('base64'), /./],
  ['a text that is cut off', encoded((writer) => writer.tag(5, WireType.LengthDelimited).uint32(100)), /./],
  ['gzip that is cut off', gzipSync('x'.repeat(1000)).subarray(0, 20).toString('base64'), 'cannot be decompressed'],
  ['an unknown event', encoded((writer) => hook(writer, (to) => to.tag(5, WireType.Varint).int32(77))), 'is 77'],
  [
    'values that are a list',
    encoded((writer) => {
      writer.tag(4, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string('[1]').join();
    }),
    'cannot unmarshal',
  ],
  ['revision 0', encoded((writer) => writer.tag(7, WireType.Varint).int32(0)), 'its field version'],
  [
    'a time after the year 9999',
    encoded((writer) => {
      writer.tag(2, WireType.LengthDelimited).fork();
      empty(writer, 1);
      writer
        .tag(2, WireType.LengthDelimited)
        .fork()
        .tag(1, WireType.Varint)
        .int64(2n ** 62n)
        .join()
        .join();
    }),
    /./,
  ],
];

for (const [what, text, message] of corrupt) {
  test(`refuses ${what}`, async (t) => {
    const expected = { name: 'ReleaseError', code: 'release_corrupt' };
    const error = await t.throwsAsync(decodeHelm2Release(text, limit), expected);
    t.regex(error.message, message instanceof RegExp ? message : new RegExp(message));
  });
}

test('refuses a release that unpacks to more than the limit', async (t) => {
  const bomb = gzipSync(Buffer.alloc(limit + 1)).toString('base64');
  await t.throwsAsync(decodeHelm2Release(bomb, limit), { code: 'release_too_large' });
});

test('throws only its own errors, whatever is in a record', async (t) => {
  const [record] = await helm2Records();
  const plain = gunzipSync(Buffer.from(record?.configMap.data.release ?? '', 'base64'));
  const change = fc.tuple(fc.nat(plain.length - 1), fc.nat(255));
  await t.notThrowsAsync(() =>
    fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const data = Buffer.from(plain);
        for (const [index, byte] of changes) data[index] = byte;
        const error: unknown = await decodeHelm2Release(data.toString('base64'), limit).catch(
          (reason: unknown) => reason,
        );
        return !(error instanceof Error) || error.name === 'ReleaseError';
      }),
    ),
  );
});

test('refuses a release with very many empty fields', async (t) => {
  const hooks = Buffer.from('3200'.repeat(450_000), 'hex'); // field 6 with no bytes
  const error = await t.throwsAsync(decodeHelm2Release(gzipSync(hooks).toString('base64'), limit), {
    code: 'release_corrupt',
  });
  t.regex(error.message, /more than 400000 fields/);
});
