import test from 'ava';
import { readEnvelope, signedBytes, signEnvelope, signersOf } from '../../src/signatures/envelope.ts';
import { SignatureError } from '../../src/signatures/signature-error.ts';
import { pemSigner } from '../../src/signatures/signer.ts';
import { newSigner } from './support/keys.ts';

const type = 'application/example';
const signer = newSigner();
const other = newSigner();
const { publicKey: key } = signer;

type Signature = { keyid: string; sig: string };
type Fields = { payloadType: string; payload: string; signatures: [Signature, ...Signature[]] };

async function signed(payload = 'hello world'): Promise<Fields> {
  return JSON.parse(await signEnvelope(type, payload, [signer])) as Fields; // as it was just written
}

const signersIn = (fields: unknown) => signersOf(readEnvelope(JSON.stringify(fields)), [key, other.publicKey]);

test('the signed bytes are those of the specification of DSSE', (t) => {
  const bytes = signedBytes('http://example.com/HelloWorld', Buffer.from('hello world'));
  t.is(bytes.toString(), 'DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

test('lengths are those of bytes', (t) => {
  t.is(signedBytes('', Buffer.from('')).toString(), 'DSSEv1 0  0 ');
  t.is(signedBytes('ä', Buffer.from('€')).toString(), 'DSSEv1 2 ä 3 €');
});

test('the signature is that of RFC 8032', (t) => {
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
  const known = pemSigner(`-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`);
  t.is(
    Buffer.from(known.sign(Buffer.from(''))).toString('hex'),
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  );
});

test('a signed content has its signer', async (t) => {
  t.deepEqual(signersIn(await signed()), [key]);
});

test('several signers are found, each once', async (t) => {
  const fields = JSON.parse(await signEnvelope(type, 'a', [signer, other, signer])) as Fields;
  t.deepEqual(signersIn(fields), [key, other.publicKey]);
});

test('a signature of an unknown key does not count', async (t) => {
  const fields = JSON.parse(await signEnvelope(type, 'a', [newSigner()])) as Fields;
  t.deepEqual(signersIn(fields), []);
});

test('both alphabets of base64 are read', async (t) => {
  const fields = await signed('??>>');
  const [{ keyid, sig }] = fields.signatures;
  const url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
  t.deepEqual(signersIn({ ...fields, payload: url(fields.payload), signatures: [{ keyid, sig: url(sig) }] }), [key]);
});

const wrong = test.macro((t, change: (fields: Fields) => unknown, message: RegExp) => {
  const error = t.throws(() => signersIn(change(structuredClone(fields0)) as Fields), { instanceOf: SignatureError });
  t.is(error.code, 'signature_invalid');
  t.regex(error.message, message);
});
const fields0 = await signed();
const [{ keyid: id0, sig: sig0 }] = fields0.signatures;
const withSig = (sig: string, keyid = id0) => ({ ...fields0, signatures: [{ keyid, sig }] });
const flipped = (text: string, index: number) => {
  const bytes = Buffer.from(text, 'base64');
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes.toString('base64');
};
/** The order of the base point, in little-endian. */
const order = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010';

function plusOrder(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  const number = (hex: string) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);
  const sum = number(bytes.subarray(32).toString('hex')) + number(order);
  const half = Buffer.from(sum.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), half]).toString('base64');
}

const badSignature = /wrong signature of the key SHA256:/;
test('a changed content is refused', wrong, (f) => ({ ...f, payload: flipped(f.payload, 3) }), badSignature);
test('a changed type is refused', wrong, (f) => ({ ...f, payloadType: `${type}2` }), badSignature);
test(
  'a byte that moves from the type to the content is refused',
  wrong,
  (f) => ({ ...f, payloadType: type.slice(0, -1) }),
  badSignature,
);
test('a changed signature is refused', wrong, () => withSig(flipped(sig0, 5)), badSignature);
test('a malleable signature is refused', wrong, () => withSig(plusOrder(sig0)), badSignature);
test('a signature of zeros is refused', wrong, () => withSig(Buffer.alloc(64).toString('base64')), badSignature);
test('a signature of another key is refused', wrong, () => withSig(sig0, other.publicKey.id), badSignature);
test(
  'a right signature beside a wrong one of the same key is refused',
  wrong,
  (f) => ({ ...f, signatures: [...f.signatures, { keyid: id0, sig: flipped(sig0, 0) }] }),
  badSignature,
);
test('a short signature is refused', wrong, () => withSig('AAAA'), /signatures\.0\.sig must be an Ed25519/);
test('base64 without padding in the usual alphabet', wrong, (f) => ({ ...f, payload: '//8' }), /must be base64/);
test('base64 with other last bits is refused', wrong, (f) => ({ ...f, payload: 'aGVsbG9=' }), /must be base64/);
test('base64 with blanks is refused', wrong, (f) => ({ ...f, payload: `${f.payload}\n` }), /must be base64/);
test('an envelope without signatures is refused', wrong, (f) => ({ ...f, signatures: [] }), /signatures/);
test(
  'an envelope with many signatures is refused',
  wrong,
  (f) => ({ ...f, signatures: Array.from({ length: 9 }, () => f.signatures[0]) }),
  /signatures/,
);
test('a signature without a key id is refused', wrong, (f) => ({ ...f, signatures: [{ sig: sig0 }] }), /keyid/);
test('a list is not an envelope', wrong, () => [], /is not one of DSSE/);

const notRead = test.macro((t, text: string, message: RegExp) => {
  const error = t.throws(() => readEnvelope(text), { instanceOf: SignatureError });
  t.regex(error.message, message);
  t.true(error.message.length < 300);
});
test('a text that is not JSON is refused', notRead, 'secret', /^the envelope must be JSON text$/);
test('a huge text is refused', notRead, ' '.repeat(10_000_000), /more than 8192 characters/);
test('a deep text is refused', notRead, '['.repeat(8000), /nested/);
