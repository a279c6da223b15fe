import { join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../../errors/index.ts';
import type { ProgramDependencies } from '../../dependencies.ts';

/** The tokens of `ctl login`, by the URLs of control planes. */
const keptSchema = z.record(z.string(), z.object({ token: z.string().regex(/^[\x21-\x7e]+$/), expiresAt: z.string() }));
type Kept = z.output<typeof keptSchema>;

/** Returns the token that `ctl login` has kept for a control plane; undefined if there is none. */
export async function keptToken(
  server: string,
  { env, readFile }: Pick<ProgramDependencies, 'env' | 'readFile'>,
): Promise<string | undefined> {
  const path = fileOf(env);
  if (path === undefined) return undefined;
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return bytes && keptOf(new TextDecoder().decode(bytes), path).get(nameOf(server))?.token;
}

/**
 * Keeps the token of a person for a control plane in a file that only this user can read; without a
 * token, it forgets the one that it has. Returns the path of the file.
 */
export async function keepToken(
  server: string,
  kept: Kept[string] | undefined,
  { env, updatePrivateFile }: Pick<ProgramDependencies, 'env' | 'updatePrivateFile'>,
): Promise<string> {
  const path = fileOf(env);
  if (path === undefined) throw new Error('set HOME or XDG_STATE_HOME, so that the token can be kept in a file there');
  await updatePrivateFile(path, (text = '{}') => {
    const all = keptOf(text, path);
    if (kept) all.set(nameOf(server), kept);
    else all.delete(nameOf(server));
    return `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`;
  });
  return path;
}

/** A token is sent only to the control plane that it is from. */
function nameOf(server: string): string {
  const { href } = new URL(server);
  return href.endsWith('/') ? href.slice(0, -1) : href;
}

function keptOf(text: string, path: string): Map<string, Kept[string]> {
  try {
    return new Map(Object.entries(keptSchema.parse(JSON.parse(text))));
  } catch {
    throw new Error(`${path} cannot be read; delete it, and run ctl login again`);
  }
}

function fileOf({ XDG_STATE_HOME: folder, HOME: home }: ProgramDependencies['env']): string | undefined {
  if (folder) return join(folder, 'helm-agent', 'ctl-tokens.json');
  return home ? join(home, '.local', 'state', 'helm-agent', 'ctl-tokens.json') : undefined;
}
