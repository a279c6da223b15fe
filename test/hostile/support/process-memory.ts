import { readFile, writeFile } from 'node:fs/promises';

/** Forgets the peak of the resident memory of a process, so that the next one is measured. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the peak of the resident memory of a process, in MiB; 0 if the process has ended. */
export async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
