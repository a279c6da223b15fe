import { appendFileSync } from 'node:fs';

/** A file whose tests have all run, as a line of JSON in the file that `SUITE_TIMES` names. */
export interface FileTime {
  /** Path from the root of the project. */
  file: string;
  ms: number;
}

export function reportFile(file: string, ms: number): void {
  const times = process.env['SUITE_TIMES'];
  const line: FileTime = { file, ms: Math.round(ms) };
  if (times !== undefined) appendFileSync(times, `${JSON.stringify(line)}\n`);
}
