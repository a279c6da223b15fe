import { readFile, rm, writeFile } from 'node:fs/promises';
import { isMissing, messageOf } from '../errors/index.ts';

/** Throws an error if there is a file at the path that no sandbox has written. */
export async function requireFreePath(path: string): Promise<void> {
  const existing = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw cannotWrite(path, error);
  });
  if (existing === undefined || isSandboxKubeconfig(existing)) return;
  throw new Error(`${path} exists and was not written by a sandbox; name another file with --kubeconfig`);
}

/** Writes a kubeconfig that only this user can read. */
export async function writeKubeconfig(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 }).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
}

/** Removes a kubeconfig, unless another sandbox has replaced it. */
export async function removeKubeconfig(path: string, text: string): Promise<void> {
  const existing = await readFile(path, 'utf8').catch(() => undefined);
  if (existing === text) await rm(path, { force: true });
}

function cannotWrite(path: string, error: unknown): Error {
  const reason = messageOf(error);
  return new Error(`cannot write ${path}: ${reason}; name another file with --kubeconfig`, { cause: error });
}

/** Whether a text is a kubeconfig of a sandbox: its current context has that name. */
function isSandboxKubeconfig(text: string): boolean {
  return /^current-context: sandbox$/m.test(text);
}
