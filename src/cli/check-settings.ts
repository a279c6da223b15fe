import { openError } from '../go/file-error.ts';
import type { ProgramDependencies } from './dependencies.ts';
import { type Setting, settingError } from './settings.ts';

type Files = Pick<ProgramDependencies, 'readFile' | 'isFolder'>;

/** Checks that a file can be read. Throws `SettingError`. */
export async function requireFile(setting: Setting, path: string | undefined, files: Files): Promise<void> {
  if (path !== undefined) await readSettingFile(setting, path, files);
}

/** Checks that a file can be read and contains a token. Throws `SettingError`. */
export async function requireToken(setting: Setting, path: string | undefined, files: Files): Promise<void> {
  if (path === undefined) return;
  if (path.trim() === '-') throw settingError(setting, 'must be a file, because it is read again for each connection');
  await readToken(setting, path, files);
}

/** Reads a token, without the white space around it. Throws `SettingError` if there is none. */
export async function readToken(setting: Setting, path: string, files: Pick<Files, 'readFile'>): Promise<string> {
  const token = new TextDecoder().decode(await readSettingFile(setting, path, files)).trim();
  if (token === '') throw settingError(setting, `${path} is empty; write the token into it`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw settingError(setting, `${path} must contain only the token: printable ASCII without spaces`);
  }
  return token;
}

/** Checks that a folder exists. Throws `SettingError`. */
export async function requireFolder(setting: Setting, path: string | undefined, { isFolder }: Files): Promise<void> {
  if (path === undefined || (await isFolder(path))) return;
  throw settingError(setting, `${path} is not a folder; create it, or name another`);
}

/** Reads the file of a setting. Throws `SettingError`. */
export async function readSettingFile(
  setting: Setting,
  path: string,
  { readFile }: Pick<Files, 'readFile'>,
): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw settingError(setting, `${openError(path, error).message}; name a file that this user can read`);
  }
}
