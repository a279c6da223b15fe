import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isMissing, messageOf } from '../errors/index.ts';

/**
 * Changes a file that only this user can read, or creates it. It is replaced as a whole, so that
 * nothing reads half of it, and not at the same time as by another process that uses this function,
 * so that no change is lost. `change` gets the present text; undefined if there is no file. Follows
 * a symbolic link.
 */
export async function updatePrivateFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  const target = await targetOf(path);
  await withLock(`${target}.lock`, async () => {
    const before = await textOf(target);
    const text = change(before);
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
      // an editor takes no lock
      if ((await textOf(target)) !== before) throw new Error('another program has changed it meanwhile; try again');
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw new Error(`cannot write ${path}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** Returns the file that a path leads to, also if it does not exist yet. */
async function targetOf(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  });
}

async function textOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not a text file`);
  }
}

/** Time to wait for other processes, in milliseconds. */
const waitMs = 30_000;

/** Signals that end the process only when the lock is released. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does some work while no other process does it that names the same lock file. Waits up to 30 s for
 * others. A lock file whose process was killed is an error that names it: nothing else is safe,
 * because two processes that remove it could remove a new one.
 */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  let interruptedBy: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => (interruptedBy = signal);
  for (const signal of signals) process.on(signal, onSignal);
  try {
    await take(path, () => interruptedBy !== undefined);
    await work().finally(() => rm(path, { force: true }));
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    if (interruptedBy !== undefined) process.kill(process.pid, interruptedBy);
  }
}

async function take(path: string, isInterrupted: () => boolean): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!(await create(path))) {
    if (isInterrupted()) throw new Error(`interrupted while another process had ${path}`);
    const holder = await holderOf(path);
    if (holder?.isGone) {
      throw new Error(`${path} is left of process ${holder.process}, which was killed; remove it, and try again`);
    }
    if (Date.now() > deadline) {
      const known = holder ? `process ${holder.process}` : 'another process';
      throw new Error(
        `${known} has had ${path} for 30s; end it, or remove this file if no helm-agent agents is running`,
      );
    }
    await sleep(5 + Math.random() * 20);
  }
}

/** Returns false if the lock file exists. */
async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()}\n`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new Error(`cannot lock: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the process that has a lock file. Undefined if it is not known (yet). */
async function holderOf(path: string): Promise<{ process: string; isGone: boolean } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [, pid = '', host = ''] = /^([1-9]\d{0,9}) ([\w.-]{1,255})\n$/.exec(text) ?? [];
  if (pid === '') return undefined;
  if (host !== hostname()) return { process: `${pid} of ${host}`, isGone: false };
  return { process: pid, isGone: !isAlive(Number(pid)) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // a process of another user
    return codeOf(error) === 'EPERM';
  }
}
