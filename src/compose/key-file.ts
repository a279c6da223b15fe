import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatKeyState, type KeyStore, parseKeyState } from '../agent/key/key-state.ts';
import { isMissing } from '../errors/index.ts';
import { updatePrivateFile } from './private-file.ts';

/** Another process has changed the file. */
class ChangedError extends Error {}

/** Keeps the keys of an agent in a file that only this user can read. */
export function keyFile(path: string): KeyStore {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      return text === undefined ? undefined : { state: parseKeyState(text, `the file ${path}`), version: text };
    },
    async write(state, version) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await updatePrivateFile(path, (text) => {
          if (text !== version) throw new ChangedError();
          return `${formatKeyState(state)}\n`;
        });
        return true;
      } catch (error) {
        if (error instanceof ChangedError) return false;
        throw error;
      }
    },
  };
}
