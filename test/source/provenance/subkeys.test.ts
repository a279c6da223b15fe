import test from 'ava';
import * as openpgp from 'openpgp';
import { armorSignature } from '../../../src/source/provenance/armor.ts';
import { signedPart, writeClearsigned } from '../../../src/source/provenance/clearsigned-message.ts';
import { readKeyring } from '../../../src/source/provenance/read-keyring.ts';
import { verifyArchive } from '../../../src/source/provenance/verify-archive.ts';

const date = new Date('2020-01-01');

/** Makes a key with a subkey that signs. */
async function makeKey(): Promise<openpgp.PrivateKey> {
  const userIDs = [{ name: 'helm-agent test', email: 'test@example.com' }];
  const { privateKey } = await openpgp.generateKey({ userIDs, date, subkeys: [{ sign: true }], format: 'object' });
  return privateKey;
}

/** Binds the subkey of a key again, with another confirmation by the subkey, or none. */
async function bindAgain(key: openpgp.PrivateKey, confirmation: openpgp.SignaturePacket | null): Promise<void> {
  const [subkey] = key.subkeys;
  if (subkey === undefined) throw new Error('the key has no subkey');
  const binding = new openpgp.SignaturePacket();
  const primary = key.keyPacket as openpgp.SecretKeyPacket; // of a private key
  binding.signatureType = openpgp.enums.signature.subkeyBinding;
  binding.publicKeyAlgorithm = primary.algorithm;
  binding.hashAlgorithm = openpgp.enums.hash.sha512;
  binding.keyFlags = Uint8Array.of(openpgp.enums.keyFlags.signData);
  binding.embeddedSignature = confirmation;
  await binding.sign(primary, { key: primary, bind: subkey.keyPacket }, date, false, openpgp.config);
  subkey.bindingSignatures = [binding];
}

/** Verifies a chart that the key's subkey has signed with a public keyring. */
async function verifySigned(key: openpgp.PrivateKey, keyring: openpgp.Key) {
  const text = `name: a\n\n...\nfiles:\n  a.tgz: sha256:${'0'.repeat(64)}\n`;
  const signature = new openpgp.SignaturePacket();
  const subkey = key.subkeys[0]?.keyPacket as openpgp.SecretSubkeyPacket; // of a private key
  signature.signatureType = openpgp.enums.signature.text;
  signature.publicKeyAlgorithm = subkey.algorithm;
  signature.hashAlgorithm = openpgp.enums.hash.sha512;
  const data = { text: null, getBytes: () => Buffer.from(signedPart(text)) };
  await signature.sign(subkey, data, date, true, openpgp.config);
  const packets = new openpgp.PacketList<openpgp.SignaturePacket>();
  packets.push(signature);
  const provenance = Buffer.from(writeClearsigned(text, 'SHA512', armorSignature(packets.write())));
  return verifyArchive(
    {
      fileName: 'a.tgz',
      digest: () => Promise.resolve('0'.repeat(64)),
      provenance: () => Promise.resolve(provenance),
      keyring: keyring.write(),
    },
    new Date('2023-01-01'),
  );
}

test('a subkey signs for its key', async (t) => {
  const key = await makeKey();
  const { fingerprint } = await verifySigned(key, key.toPublic());
  t.is(fingerprint, key.getFingerprint().toUpperCase());
});

test('a subkey that is revoked does not', async (t) => {
  const key = await makeKey();
  const [subkey] = key.subkeys;
  const primary = key.keyPacket as openpgp.SecretKeyPacket; // of a private key
  if (subkey === undefined) throw new Error('the key has no subkey');
  const reason = { flag: openpgp.enums.reasonForRevocation.keyRetired };
  key.subkeys = [await subkey.revoke(primary, reason, date)];
  await t.throwsAsync(verifySigned(key, key.toPublic()), { message: 'openpgp: signature made by revoked key' });
});

test('a key that claims a subkey which does not confirm it is malformed', async (t) => {
  const [key, other] = [await makeKey(), await makeKey()];
  const problem = 'openpgp: invalid data: subkey signature invalid: openpgp: invalid data: ';
  await bindAgain(key, other.subkeys[0]?.bindingSignatures[0]?.embeddedSignature ?? null);
  await t.throwsAsync(readKeyring(key.toPublic().write(), openpgp), {
    message: `${problem}error while verifying cross-signature: openpgp: invalid signature: EdDSA verification failure`,
  });
  await bindAgain(key, null);
  await t.throwsAsync(readKeyring(key.toPublic().write(), openpgp), {
    message: `${problem}signing subkey is missing cross-signature`,
  });
});

test('a key with the subkey of another key is malformed', async (t) => {
  const [key, other] = [await makeKey(), await makeKey()];
  key.subkeys = other.subkeys;
  await t.throwsAsync(readKeyring(key.toPublic().write(), openpgp), {
    message: /^openpgp: .*subkey signature invalid/,
  });
});
