import { readdirSync, readFileSync } from 'node:fs';

/** A template that calls functions, and what Helm made of it. */
export interface RecordedCase {
  /** Name of its file, such as `date`. */
  family: string;
  template: string;
  output?: string;
  outputBase64?: string;
  /** Text after `error calling NAME: `. */
  error?: string;
}

const folder = new URL('fixtures/', import.meta.url);

/** Returns the cases of all families. */
export function recordedCases(): RecordedCase[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
    const family = file.replace('.jsonl', '');
    return lines.map((line) => ({ ...(JSON.parse(line) as Omit<RecordedCase, 'family'>), family }));
  });
}
