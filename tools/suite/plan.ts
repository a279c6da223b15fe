// Which test files run together in one process, and which have one of their own.
import { readFileSync } from 'node:fs';

/** Files that change the process, or measure its memory, by their text. */
const processState =
  /worker_threads|node:test|process\.(?:on|chdir|exitCode|emit|memoryUsage)\b|^process\.env\[|globalThis\.|\bt\.title\b/m;

/** Files that take long even if nothing else runs. They start first. */
const longest = [
  'test/bin/api-faults.test.ts',
  'test/operation/resumption/resumption.test.ts',
  'test/operation/resumption/moments.test.ts',
  'test/dashboard/pages.test.ts',
  'test/hostile/patterns.test.ts',
];

/** Files that measure time or memory, take long, or whose tests wait longer than they work. */
const alone = [
  'test/bin/bad-input.test.ts',
  'test/bin/control-plane-replicas.test.ts',
  'test/bin/demo.test.ts',
  'test/bin/output.test.ts',
  'test/bin/process.test.ts',
  'test/bin/support-bundle.test.ts',
  'test/bin/wire.test.ts',
  'test/control-plane/kills.test.ts',
  'test/control-plane/network-matrix.test.ts',
  'test/hostile/annotations.test.ts',
  'test/hostile/charts.test.ts',
  'test/hostile/linear.test.ts',
  'test/hostile/names.test.ts',
  'test/hostile/secrets.test.ts',
  'test/hostile/transport.test.ts',
  'test/operation/resumption/process.test.ts',
  'test/operation/stored-status.test.ts',
  'test/render/attacks.test.ts',
  'test/render/worker/attempt-render.test.ts',
  'test/workers/workers.test.ts',
];

/** Files that have a process of their own whatever their text. */
export const namedFiles = [...longest, ...alone];

const groupSize = 24;

export interface Plan {
  /** Files with a process of their own that start before all others. */
  longest: string[];
  /** Other files with a process of their own. */
  alone: string[];
  /** Files that share a process, by process. The same files always share one. */
  groups: string[][];
}

export function planOf(files: readonly string[], read = (file: string) => readFileSync(file, 'utf8')): Plan {
  const sorted = Object.groupBy([...files].sort(), (file) => {
    if (longest.includes(file)) return 'longest';
    return alone.includes(file) || processState.test(read(file)) ? 'alone' : 'together';
  });
  const together = sorted.together ?? [];
  const count = Math.ceil(together.length / groupSize);
  const size = Math.ceil(together.length / count);
  return {
    longest: longest.filter((file) => files.includes(file)),
    alone: sorted.alone ?? [],
    groups: Array.from({ length: count }, (_, index) => together.slice(index * size, (index + 1) * size)),
  };
}
