import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Fields } from '../../protocol/commands/field.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { type Flag, listFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';

/** The files of a folder that have manifests, as for kubectl. */
const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** Whether a command is about manifests of this machine. */
export function hasManifests(fields: Fields): boolean {
  return 'manifests' in fields;
}

/** The flag of `ctl` for manifests, which reads files. */
export const manifestFlags: readonly Flag[] = [
  listFlag('filename', 'file or folder with manifests, - for stdin; may be repeated', { shorthand: 'f' }),
];

/** Returns the manifests that {@link manifestFlags} name, in the order in which they are given. */
export async function givenManifests(
  flags: FlagValues,
  { readFile, isFolder }: Pick<ProgramDependencies, 'readFile' | 'isFolder'>,
): Promise<{ manifests: string }> {
  const places = flags.list('filename');
  if (places.length === 0) throw new Error('name the manifests with -f FILE, -f FOLDER, or -f - for stdin');
  const texts: string[] = [];
  for (const place of places) {
    const paths = place !== '-' && (await isFolder(place)) ? await filesIn(place) : [place];
    for (const path of paths) texts.push(textOf(path, await readFile(path)));
  }
  return { manifests: texts.join('\n---\n') };
}

/** Returns the manifests of a folder. Those of folders in it are left out. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => extensions.has(extname(name))).sort();
  if (names.length > 0) return names.map((name) => join(folder, name));
  throw new Error(`the folder ${folder} has no file that ends with ${[...extensions].join(', ')}`);
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${path} is not text in UTF-8`, { cause });
  }
}
