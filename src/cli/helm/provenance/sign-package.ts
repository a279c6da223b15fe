import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { loadArchive } from '../../../chart/load/load-archive.ts';
import { chartYaml } from '../../../chart/metadata/write-metadata.ts';
import { epochMilliseconds } from '../../../operation/clock.ts';
import { replaceFile } from '../../../source/configuration/replace-file.ts';
import { sha256 } from '../../../source/digest.ts';
import { createSigner } from '../../../source/provenance/sign-archive.ts';
import type { HelmContext } from '../context.ts';
import { passphrasesFrom } from './passphrase.ts';
import { readKeyringFile } from './read-limited.ts';

interface SigningOptions {
  /** Path of a file with secret keys. */
  readonly keyring: string;
  readonly keyName: string;
  /** Path of a file with the passphrase, `-` for stdin, or an empty text. */
  readonly passphraseFile: string;
}

/**
 * Returns a function that writes the provenance file of an archive beside it
 * (pkg/action/package.go: Clearsign). It throws errors with Helm's texts.
 */
export function createPackageSigner(
  { keyring, keyName, passphraseFile }: SigningOptions,
  context: Pick<HelmContext, 'host' | 'readFile' | 'stdout'>,
): (path: string) => Promise<void> {
  const openPassphrase = passphrasesFrom(passphraseFile, context);
  return async (path) => {
    const sign = await createSigner({ keyring: await readKeyringFile(keyring), keyName, openPassphrase });
    const archive = await readFile(path);
    const { metadata } = await loadArchive(archive);
    const chart = { fileName: basename(path), digest: await sha256(archive), metadata: chartYaml(metadata) };
    await replaceFile(`${path}.prov`, await sign(chart, new Date(epochMilliseconds(context.host))));
  };
}
