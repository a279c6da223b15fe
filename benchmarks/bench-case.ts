import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Options of all engines. */
export const benchNamespace = 'testns';
export const benchKubeVersion = 'v1.35.0';

/** A chart and one set of values. */
export interface BenchCase {
  id: string;
  /** Path of the archive. */
  chart: string;
  /** Path of the values file. */
  values?: string;
}

/** Each chart is rendered until both are reached. */
export interface Effort {
  minRuns: number;
  minMillis: number;
}

const caseSchema = z.object({ id: z.string(), chart: z.string(), values: z.string().nullable(), exit: z.number() });

/** Returns the first case of each chart of a corpus that helm can render. */
export function readCases(folder: string): BenchCase[] {
  const cases = new Map<string, BenchCase>();
  for (const line of readFileSync(join(folder, 'cases.jsonl'), 'utf8').split('\n')) {
    if (line === '') continue;
    const { id, chart, values, exit } = caseSchema.parse(JSON.parse(line));
    if (exit !== 0 || cases.has(chart)) continue;
    cases.set(chart, { id, chart: join(folder, chart), ...(values !== null && { values: join(folder, values) }) });
  }
  return [...cases.values()];
}
