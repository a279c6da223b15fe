import { fstatSync } from 'node:fs';
import { readLimited } from '../../../downloader/index.ts';
import { quote } from '../../../go/strconv.ts';
import { fromBytes } from '../../../go/text.ts';
import type { HelmContext } from '../context.ts';
import { readPassword } from '../password.ts';

/** Size limit of a file with a passphrase. */
const maxPassphraseBytes = 64 * 1024;

/** Returns a function that returns the passphrase of a key by the key's name. */
type Passphrases = () => Promise<(keyName: string) => Promise<string>>;

/**
 * Takes passphrases from the first line of a file, or of stdin if its name is `-`, and asks for
 * them if the name is empty (pkg/action/package.go). The file is read once, for all keys. Throws
 * errors with Helm's text.
 */
export function passphrasesFrom(file: string, context: Pick<HelmContext, 'readFile' | 'stdout'>): Passphrases {
  let known: string | undefined;
  return async () => {
    if (file === '') return (keyName) => ask(keyName, context);
    const passphrase = (known ??= await firstLine(file, context));
    return () => Promise.resolve(passphrase);
  };
}

async function firstLine(file: string, { readFile }: Pick<HelmContext, 'readFile'>): Promise<string> {
  if (file === '-' && !fstatSync(0).isFIFO()) {
    throw new Error('specified reading passphrase from stdin, without input on stdin');
  }
  const content = fromBytes(await (file === '-' ? readFile('-') : readLimited(file, maxPassphraseBytes)));
  if (content === '') throw new Error('EOF');
  return content.replace(/\r?\n[^]*$/, '');
}

async function ask(keyName: string, context: Pick<HelmContext, 'readFile' | 'stdout'>): Promise<string> {
  const prompt = `Password for key ${quote(keyName)} >  `;
  if (!process.stdin.isTTY) context.stdout.write(`${prompt}\n`); // then it fails, as in Helm
  return readPassword(prompt, false, context);
}
