// Renders every chart of a corpus in one process and prints the peak memory use.
//   node benchmarks/memory.ts DIR
import { readCases } from './bench-case.ts';
import { newEngine, renderCase } from './own-engine.ts';

const engine = newEngine();
const cases = readCases(process.argv[2] ?? '.');
for (const one of cases) await renderCase(one, engine, 0);
// in KiB
const megabytes = process.resourceUsage().maxRSS / 1024;
console.log(`peak memory of one process that renders ${cases.length} charts: ${megabytes.toFixed(0)} MB`);
