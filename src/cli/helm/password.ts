import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { fromBytes } from '../../go/text.ts';
import type { HelmContext } from './context.ts';

/** Reads a password: all of stdin without its line break, or a typed line that is not shown. */
export async function readPassword(
  prompt: string,
  fromStdin: boolean,
  context: Pick<HelmContext, 'readFile' | 'stdout'>,
): Promise<string> {
  if (fromStdin)
    return fromBytes(await context.readFile('-'))
      .replace(/\n$/, '')
      .replace(/\r$/, '');
  if (!process.stdin.isTTY) throw new Error('inappropriate ioctl for device');
  return readLine(prompt, context, false);
}

/** Reads a line that is typed. Without `isShown`, the terminal does not show it. */
export async function readLine(
  prompt: string,
  { stdout }: Pick<HelmContext, 'stdout'>,
  isShown = true,
): Promise<string> {
  stdout.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: isShown ? process.stdout : hidden,
    terminal: process.stdin.isTTY,
  });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    if (!isShown) stdout.write('\n');
  }
}
