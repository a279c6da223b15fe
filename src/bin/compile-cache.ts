import { existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Commands that run for long. Compiled code from a file would stay in their memory. */
const longRunning = new Set(['run', 'control-plane']);

/**
 * Lets Node keep the compiled code of this program in a folder of the user, so that the next
 * command starts faster. Nothing is kept if the folder cannot be written, or if others can write
 * it. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` have their usual meaning.
 */
export function enableCompileCache(command: string | undefined, env: Environment): void {
  const folder = compileCacheFolder(env);
  if (folder === undefined || longRunning.has(command ?? '') || !makeFolder(folder, 3)) return;
  const own = dirname(folder);
  if (!isOwn(statSync(dirname(own), quietly), 0o002) || ![own, folder].every((path) => isOwn(lstatSync(path, quietly))))
    return;
  process.getBuiltinModule('node:module').enableCompileCache(folder);
}

/**
 * Creates a folder, and the given number of folders above it if they are missing. Returns whether
 * it exists then. Node's own recursive `mkdir` never returns for a path such as `/proc/none/a`.
 */
function makeFolder(path: string, levels: number): boolean {
  if (existsSync(path)) return true;
  if (levels === 0 || !makeFolder(dirname(path), levels - 1)) return false;
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    return existsSync(path); // another process may have created it
  }
}

const quietly = { throwIfNoEntry: false } as const;

/**
 * Whether a folder belongs to this user, and no others can write to it: they could put code there.
 * Windows gives the folder of a user an access control list of its own.
 */
function isOwn(facts: Stats | undefined, writableByOthers = 0o022): boolean {
  if (facts?.isDirectory() !== true) return false;
  return process.getuid === undefined || (facts.uid === process.getuid() && (facts.mode & writableByOthers) === 0);
}

/**
 * Returns the folder for compiled code, or undefined if the user has none. It is never a folder
 * that several users share, as Node's default is: a user who can write the files can run code.
 */
export function compileCacheFolder(env: Environment, platform: NodeJS.Platform = process.platform): string | undefined {
  const cache = env['XDG_CACHE_HOME'] || cacheFolder(env, platform);
  return cache === undefined ? undefined : join(cache, 'helm-agent', 'compiled');
}

function cacheFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return env['LOCALAPPDATA'] || undefined;
  const home = env['HOME'];
  if (!home) return undefined;
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
}
