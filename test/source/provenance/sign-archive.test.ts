import { readFile } from 'node:fs/promises';
import test from 'ava';
import { createSigner } from '../../../src/source/provenance/sign-archive.ts';
import { verifyArchive } from '../../../src/source/provenance/verify-archive.ts';

const keyring = await readFile('test/cli/helm/fixtures/signatures/secret.gpg');

const signs = test.macro({
  title: (_, key: string, __: string) => `the signature by ${key} is valid, and changes with its time`,
  async exec(t, key: string, passphrase: string) {
    const openPassphrase = () => Promise.resolve(() => Promise.resolve(passphrase));
    const sign = await createSigner({ keyring, keyName: key, openPassphrase });
    const archive = { fileName: 'a.tgz', digest: '0'.repeat(64), metadata: 'name: a\ndescription: é - \n' };
    const now = new Date('2023-01-01');
    const text = await sign(archive, now);
    const head = '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nname: a\ndescription: é -\n\n...\n';
    const body = `files:\n  a.tgz: sha256:${archive.digest}\n\n-----BEGIN PGP SIGNATURE-----\n\n`;
    t.true(text.startsWith(head + body));
    const verification = (at: Date) => {
      const provenance = () => Promise.resolve(Buffer.from(text));
      return verifyArchive(
        { fileName: 'a.tgz', digest: () => Promise.resolve(archive.digest), provenance, keyring },
        at,
      );
    };
    t.is((await verification(now)).fileHash, `sha256:${archive.digest}`);
    await t.throwsAsync(verification(new Date('2022-12-31')), { message: 'openpgp: signature expired' });
  },
});

test(signs, 'test@example.com', 'not asked for');
test(signs, 'rsa@example.com', 'not asked for');
test(signs, 'locked@example.com', 'secret');
