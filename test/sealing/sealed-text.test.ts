import { generateKeyPairSync } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Sealed } from '../../src/protocol/sealed.ts';
import { sealedSchema } from '../../src/protocol/sealed.ts';
import { readSealingKey, sealingKeyLine, sealingKeyOf } from '../../src/sealing/public-sealing-key.ts';
import { openSealed, seal, type SealedPlace } from '../../src/sealing/sealed-text.ts';
import { SealingError } from '../../src/sealing/sealing-error.ts';

const secret = 'db: { password: hunter2-of-a-secret }\n';
const place: SealedPlace = { agentId: 'edge-1', namespace: 'shop', releaseName: 'web', purpose: 'values' };

function newKey() {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { d, x, publicKey: sealingKeyOf(Buffer.from(x, 'base64url')) };
}

const own = newKey();
const sealed = () => seal(secret, own.publicKey, place);

async function refused(t: ExecutionContext, given: Sealed, at: SealedPlace, key = own): Promise<string> {
  const error = await t.throwsAsync(openSealed(given, key, at), { instanceOf: SealingError, code: 'sealed_invalid' });
  t.false(error.message.includes('hunter2'));
  return error.message;
}

test('a sealed text is opened with the key of its agent at its place', async (t) => {
  const given = await sealed();
  t.true(sealedSchema.safeParse(given).success);
  t.is(await openSealed(given, own, place), secret);
  t.false(JSON.stringify(given).includes('hunter2'));
  // one that is empty, one with a mark of byte order, and one that base64 has to pad
  for (const text of ['', '\ufeffa: 1', 'a']) {
    t.is(await openSealed(await seal(text, own.publicKey, place), own, place), text);
  }
});

test('the same text is never sealed to the same bytes', async (t) => {
  const [one, other] = [await sealed(), await sealed()];
  t.not(one.ciphertext, other.ciphertext);
  t.not(one.enc, other.enc);
});

const moved = test.macro(async (t, changes: Partial<SealedPlace>) => {
  const given = await sealed();
  t.regex(await refused(t, given, { ...place, ...changes }), /^it is sealed for the \w+ \S+, not \S+; seal it again$/);
  // with the names changed, too, it is the encryption that refuses it
  t.regex(await refused(t, { ...given, ...changes }, { ...place, ...changes }), /^it was changed after it was sealed/);
});

test('a text for another agent is refused', moved, { agentId: 'edge-2' });
test('a text for another namespace is refused', moved, { namespace: 'prod' });
test('a text for another release is refused', moved, { releaseName: 'db' });
test('a text for another purpose is refused', moved, { purpose: 'credentials' });

test('names cannot be shifted from one part of the place into another', async (t) => {
  const given = await seal(secret, own.publicKey, { ...place, namespace: 'a","b', releaseName: 'c' });
  await refused(t, given, { ...place, namespace: 'a', releaseName: 'b","c' });
});

test('a text that was altered or cut is refused', async (t) => {
  const given = await sealed();
  const bytes = Buffer.from(given.ciphertext, 'base64');
  for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    await refused(t, { ...given, ciphertext: altered.toString('base64') }, place);
  }
  for (const length of [0, 1, 15, 16, bytes.length - 1]) {
    await refused(t, { ...given, ciphertext: bytes.subarray(0, length).toString('base64') }, place);
  }
  await refused(t, { ...given, enc: (await sealed()).enc }, place);
  await refused(t, { ...given, enc: Buffer.alloc(32).toString('base64') }, place);
  await refused(t, { ...given, enc: Buffer.alloc(31).toString('base64') }, place);
});

test('a text for another key, or with another key id, is refused', async (t) => {
  const other = newKey();
  await refused(t, await sealed(), place, other);
  await refused(t, { ...(await sealed()), keyId: other.publicKey.id }, place);
});

test('bytes that are not text are refused', async (t) => {
  // the function seals text only, so this is what another program might seal
  const latin = Buffer.from([0x61, 0xff]) as unknown as string;
  t.regex(await refused(t, await seal(latin, own.publicKey, place), place), /^it is not text in UTF-8$/);
});

test('a text that no command can have is refused before it is sealed', async (t) => {
  const error = await t.throwsAsync(seal('a'.repeat(7 * 1024 * 1024), own.publicKey, place), {
    code: 'sealed_invalid',
  });
  t.regex(error.message, /too long/);
});

test('nothing is sealed to keys with which everyone knows the secret', async (t) => {
  const points = ['00'.repeat(32), `01${'00'.repeat(31)}`, `ec${'ff'.repeat(30)}7f`, `ed${'ff'.repeat(30)}7f`];
  for (const point of [...points, 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800']) {
    const key = sealingKeyOf(Buffer.from(point, 'hex'));
    const error = await t.throwsAsync(seal(secret, key, place), { code: 'sealed_invalid' });
    t.regex(error.message, /^the key of the agent cannot be used/);
  }
});

test('the line of a key is read with a comment, and nothing else is', (t) => {
  const line = sealingKeyLine(own.publicKey);
  t.deepEqual(readSealingKey(`${line} SHA256:comment\n`), own.publicKey);
  t.regex(own.publicKey.id, /^SHA256:[A-Za-z0-9+/]{43}$/);
  const [type = '', encoded = ''] = line.split(' ');
  const wrong = [
    ...['', type, `ssh-ed25519 ${encoded}`, `${type} ${encoded.slice(4)}`, `${type} ${encoded}\n${line}`],
    ...[
      `${type} ${encoded.slice(0, -1)}!`,
      `${type} ${Buffer.alloc(33).toString('base64')}`,
      `${line} ${'a'.repeat(1000)}`,
    ],
  ];
  for (const text of wrong) t.throws(() => readSealingKey(text), { code: 'sealed_invalid' }, text);
});
