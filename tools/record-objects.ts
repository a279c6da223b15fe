// Records again what Helm prints for the templates in test/render/fixtures/objects.jsonl:
//   npm run -s record:objects -- ORACLE
// ORACLE is a program over Helm's packages that reads a case per line with `-mode render` (the
// fields of objects-chart.json, "id", "template", "strict", "lint") and prints a result per line:
// {"id", "output"} or {"id", "error"}.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

interface Recorded {
  readonly template: string;
  readonly strict?: boolean;
  readonly lint?: boolean;
  readonly output?: string;
  readonly error?: string;
}

const [oracle] = process.argv.slice(2);
if (oracle === undefined) {
  console.error('usage: npm run -s record:objects -- ORACLE');
  process.exit(2);
}

const folder = new URL('../test/render/fixtures/', import.meta.url);
const file = new URL('objects.jsonl', folder);
const chart: unknown = JSON.parse(readFileSync(new URL('objects-chart.json', folder), 'utf8'));
if (typeof chart !== 'object') throw new Error('objects-chart.json must be an object');

const cases = readLines(readFileSync(file, 'utf8')).map(({ template, strict, lint }) => ({
  template,
  ...(strict === undefined ? {} : { strict }),
  ...(lint === undefined ? {} : { lint }),
}));
const input = cases.map((one, i) => `${JSON.stringify({ ...chart, ...one, id: String(i) })}\n`).join('');
const { stdout, stderr, status } = spawnSync(oracle, ['-mode', 'render'], {
  input,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0) throw new Error(`${oracle} failed: ${stderr}`);
const results = readLines(stdout);
if (results.length !== cases.length) throw new Error(`${results.length} results for ${cases.length} templates`);
const lines = cases.map((one, i) => {
  const { output, error } = results[i] ?? {};
  return JSON.stringify(error === undefined ? { ...one, output } : { ...one, error });
});
writeFileSync(file, `${lines.join('\n')}\n`);
console.log(`objects.jsonl: ${lines.length} templates`);

/** The fixtures and the oracle's results are JSON lines with these fields. */
function readLines(text: string): Recorded[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}
