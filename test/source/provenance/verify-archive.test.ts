import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { sha256 } from '../../../src/source/digest.ts';
import { verifyArchive } from '../../../src/source/provenance/verify-archive.ts';

const folder = 'test/cli/helm/fixtures/signatures';
const read = (name: string) => readFile(join(folder, name));
/** After the signatures that helm has made, and before 2106, where OpenPGP's times end. */
const later = new Date('2100-01-01');

async function verify(name: string, { keyring, now = later }: { keyring?: Uint8Array; now?: Date } = {}) {
  const archive = await read(`${name}.tgz`);
  const signed = { fileName: `${name}.tgz`, digest: () => sha256(archive), provenance: () => read(`${name}.tgz.prov`) };
  return verifyArchive({ ...signed, keyring: keyring ?? (await read('public.gpg')) }, now);
}

test('a signature that helm has made is valid', async (t) => {
  const { signedBy, fingerprint, fileHash } = await verify('web-1.0.0');
  t.deepEqual(signedBy, ['helm-agent test <test@example.com>']);
  t.regex(fingerprint, /^[0-9A-F]{40}$/);
  t.is(fileHash, `sha256:${await sha256(await read('web-1.0.0.tgz'))}`);
});

test('a signature of the future is not valid', async (t) => {
  await t.throwsAsync(verify('test', { now: new Date('2019-12-31') }), { message: 'openpgp: key expired' });
  await t.throwsAsync(verify('web-1.0.0', { now: new Date('2020-01-02') }), { message: 'openpgp: signature expired' });
});

test('a key expires with its last second', async (t) => {
  const valid = new Date('2020-12-30T23:59:59Z');
  t.deepEqual((await verify('expired', { now: valid })).signedBy, ['helm-agent expired <expired@example.com>']);
  await t.throwsAsync(verify('expired', { now: new Date('2021-01-02') }), { message: 'openpgp: key expired' });
});

test('all users of a key are named', async (t) => {
  const { signedBy } = await verify('users');
  t.deepEqual(signedBy.toSorted(), ['helm-agent users <users@example.com>', 'helm-agent users too <too@example.com>']);
});

test('a malformed key is skipped, unless there is no other', async (t) => {
  const damaged = await read('rsa.gpg');
  const at = damaged.indexOf('helm-agent rsa');
  damaged.write('h', at + 1); // its signature of itself is not valid any more
  const problem = 'user ID self-signature invalid: openpgp: invalid signature: RSA verification failure';
  await t.throwsAsync(verify('test', { keyring: damaged }), {
    message: `failed to load keyring: openpgp: invalid data: ${problem}`,
  });
  const both = Buffer.concat([damaged, await read('public.gpg')]);
  t.is((await verify('test', { keyring: both })).signedBy.length, 1);
  t.is((await verify('rsa', { keyring: both })).signedBy.length, 1);
});

test('a keyring with something else at its end is refused', async (t) => {
  const keyring = Buffer.concat([await read('public.gpg'), Buffer.from('\n')]);
  await t.throwsAsync(verify('test', { keyring }), {
    message: 'failed to load keyring: openpgp: invalid data: tag byte does not have MSB set',
  });
});
