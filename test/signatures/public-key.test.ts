import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { publicKeyOf, readPublicKey, sshLineOf } from '../../src/signatures/public-key.ts';
import { pemSigner } from '../../src/signatures/signer.ts';
import { newPrivateKey, newSigner, pemOf } from './support/keys.ts';

test('a key in PEM and as a line of SSH is the same key', (t) => {
  const signer = newSigner();
  const { id } = readPublicKey(pemOf(signer));
  t.is(readPublicKey(sshLineOf(signer.publicKey)).id, id);
  t.is(readPublicKey(`${sshLineOf(signer.publicKey)} alice@example.com\n`).id, id);
  t.is(readPublicKey(pemOf(signer).replaceAll('\n', '\r\n')).id, id);
});

test('the id of a key is its fingerprint in ssh-keygen', (t) => {
  // ssh-keygen -t ed25519 -C '' -N '' -f key; ssh-keygen -lf key.pub
  const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  t.is(readPublicKey(line).id, 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
});

const refused = test.macro((t, text: string, problem: RegExp) => {
  t.throws(() => readPublicKey(text), { code: 'signature_invalid', message: problem });
});

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const line = sshLineOf(newSigner().publicKey);

test('an empty text is not a key', refused, '', /must be a public key in PEM/);
test('a private key is refused, so that it is not spread', refused, newPrivateKey(), /is a private key/);
test(
  'a key of another type is refused',
  refused,
  otherKey.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  /must be an Ed25519 key/,
);
test('a certificate is not a key', refused, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /PEM/);
test('two keys in one text are refused', refused, pemOf(newSigner()) + pemOf(newSigner()), /PEM/);
test('two lines of SSH are refused', refused, `${line}\n${line}`, /one line/);
test('an RSA key of SSH is refused', refused, 'ssh-rsa AAAAB3NzaC1yc2E=', /ssh-ed25519/);
test('a line of SSH that is cut is refused', refused, line.slice(0, -8), /cannot be read/);
test('a line of SSH with more bytes is refused', refused, `${line}AAAA`, /cannot be read/);
test('a long text is refused', refused, 'a'.repeat(1_000_000), /at most 1000 characters/);

const unsafe = test.macro((t, hex: string) => {
  t.throws(() => publicKeyOf(Buffer.from(hex, 'hex')), { code: 'signature_invalid', message: /safe to use/ });
});

// the points whose order divides 8, with the sign in the highest bit
const p = `ff`.repeat(30);
for (const hex of [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `01${'00'.repeat(30)}80`,
  `ec${p}7f`,
  `ec${p}ff`,
  `${'00'.repeat(31)}80`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
]) {
  test(`a key of small order is refused: ${hex}`, unsafe, hex);
}
for (const first of ['ed', 'ee', 'f0', 'ff']) {
  test(`another encoding of a key is refused: ${first}`, unsafe, `${first}${p}7f`);
  test(`another encoding of a key with its sign is refused: ${first}`, unsafe, `${first}${p}ff`);
}

const notPrivate = test.macro((t, text: string) => {
  const error = t.throws(() => pemSigner(text), { code: 'signature_invalid', message: /openssl genpkey/ });
  t.false(error.message.includes('MC4'));
});

test('a public key does not sign', notPrivate, pemOf(newSigner()));
test('a damaged private key is refused, without its text', notPrivate, newPrivateKey().replace('MC4', 'MC4CAQ'));
test('a long text does not sign', notPrivate, newPrivateKey() + ' '.repeat(100_000));

test('a private key of another type does not sign', (t) => {
  const pem = otherKey.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  t.throws(() => pemSigner(pem), { code: 'signature_invalid', message: 'must be an Ed25519 key' });
});
