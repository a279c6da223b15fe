import { readFileSync } from 'node:fs';

/** The processor time in seconds and the memory in MiB of a process. */
export interface ProcessUse {
  cpu: number;
  resident: number;
  /** The largest since its start. */
  peak: number;
}

/** Returns what a process of this machine has used. */
export function useOf(pid: number): ProcessUse {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  // ticks of 10 ms, as Linux counts for programs
  const cpu = (Number(fields[11]) + Number(fields[12])) / 100;
  return { cpu, resident: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}
