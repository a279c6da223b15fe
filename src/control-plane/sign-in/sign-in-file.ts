import { messageOf } from '../../errors/index.ts';
import { commandTable } from '../../protocol/commands/index.ts';
import { fileVersion, readBoundedFile } from '../bounded-file.ts';
import { type Logger, silentLog } from '../logger.ts';
import { maxSignInFileBytes, readSignInSettings, SignInFileError, type SignInSettings } from './sign-in-settings.ts';

export interface SignInFileOptions {
  /** Default: nothing is logged. */
  log?: Logger;
  /** Interval between checks for changes, in milliseconds. Default: 500. */
  intervalMs?: number;
}

/** How people sign in, as the file says it now. It is the option `signIn` of a control plane. */
export interface SignInFile {
  /** Returns the content of the file when it could be used last. */
  readonly settings: () => SignInSettings;
  /** Whether the file could be used when it changed last. If not, the last content stays. */
  readonly isReadable: () => boolean;
  /** Calls the listener after each change. Returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void;
  /** Stops to watch the file. */
  close(): void;
}

/**
 * Opens a file in YAML that says at which OpenID provider people sign in, and which roles their
 * groups have. It is read again when it changes; the last content stays if it cannot be used.
 * Rejects with `SignInFileError`.
 */
export async function openSignInFile(path: string, options: SignInFileOptions = {}): Promise<SignInFile> {
  const { log = silentLog, intervalMs = 500 } = options;
  const listeners = new Set<() => void>();
  let version = '';
  let problem = '';
  const read = async (): Promise<SignInSettings | undefined> => {
    const known = version;
    version = ''; // a failure to read the file may pass, also if the file stays the same
    const found = await fileVersion(path);
    if (found === known) {
      version = known;
      return undefined;
    }
    const text = await readBoundedFile(path, maxSignInFileBytes);
    // it may have been read in the middle of a change
    if ((await fileVersion(path)) !== found) return undefined;
    version = found;
    problem = '';
    return readSignInSettings(text, commandTable);
  };
  const cannot = (error: unknown) => `cannot use the sign-in file ${path}: ${messageOf(error)}`;
  const first = await read().catch((error: unknown) => {
    throw new SignInFileError(cannot(error));
  });
  if (!first) throw new SignInFileError(`cannot use the sign-in file ${path}: it is being changed; start again`);
  let settings = first;

  async function reload(): Promise<void> {
    const last = problem;
    try {
      const changed = await read();
      if (!changed) return;
      settings = changed;
      log.info({ file: path }, 'the sign-in file has changed');
      for (const listener of listeners) listener();
    } catch (error) {
      problem = cannot(error);
      if (problem !== last) log.warn({ reason: problem }, 'the sign-in file is wrong; what it said before stays');
    }
  }

  let reloading = Promise.resolve();
  const timer = setInterval(() => void (reloading = reloading.then(reload)), intervalMs).unref();
  return {
    settings: () => settings,
    isReadable: () => problem === '',
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => clearInterval(timer),
  };
}
