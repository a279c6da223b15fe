import { readFileSync } from 'node:fs';

/** The age and the processor time in seconds, and the memory in MiB, of a process. */
export interface ProcessUse {
  age: number;
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
  const seconds = (field: number) => Number(fields[field]) / 100;
  const age = Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) - seconds(19);
  return { age, cpu: seconds(11) + seconds(12), resident: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}
