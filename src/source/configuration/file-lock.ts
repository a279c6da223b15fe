import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isMissing } from '../../errors/index.ts';

/**
 * Performs work while it holds the lock that Helm takes with flock(2). The program `flock` of
 * util-linux holds it; on systems without that program, the work is performed without a lock.
 * Throws an error if another process does not release the lock in time.
 */
export async function withFileLock<T>(path: string, seconds: number, work: () => Promise<T>): Promise<T> {
  const release = await takeLock(path, seconds);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** The shell says when it has the lock, and keeps it until its input ends. */
async function takeLock(path: string, seconds: number): Promise<() => Promise<void>> {
  const args = ['--exclusive', '--wait', String(seconds), path, 'sh', '-c', 'echo locked; read end'];
  const child = spawn('flock', args, { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined); // the process may end first
  const ended = once(child, 'close').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const locked = once(child.stdout, 'data').then(() => true);
  const isLocked = await Promise.race([locked, ended.then(() => false)]);
  if (!isLocked && child.exitCode !== null) {
    throw new Error(`another process holds the lock ${path} for more than ${seconds} s; try again later`);
  }
  return async () => {
    child.stdin.end();
    await ended;
  };
}
