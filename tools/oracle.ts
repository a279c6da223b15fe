// Runs cases and compares the results with those that Go recorded.
//   npm run -s oracle -- FILE.jsonl[.gz]… [--all] [--only ID-PART]
// A folder counts as all files in it with such a name.
// A case is one line of JSON: a template to render, values to coalesce, a --set argument, or a YAML
// text, with the result of Helm's packages. tools/oracle-skips.tsv has lines `ID<tab>REASON` for
// cases that are known to differ. They are counted separately. Only generated cases may be listed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { type OracleCase, runOracleCase } from './oracle-case.ts';

// include nests 1,000 levels deep in some cases, which needs the stack of a thread
if (isMainThread) {
  new Worker(new URL(import.meta.url), {
    argv: process.argv.slice(2),
    resourceLimits: { stackSizeMb: 256, maxOldGenerationSizeMb: 4096 },
  }).on('exit', (code) => (process.exitCode = code));
} else {
  compareAll();
}

function compareAll(): void {
  const { values: flags, positionals } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'boolean' }, only: { type: 'string' } },
  });
  if (positionals.length === 0) {
    console.error('usage: npm run -s oracle -- FILE.jsonl[.gz]… [--all] [--only ID-PART]');
    process.exit(2);
  }
  const known = readSkips();
  const cases = positionals
    .flatMap(filesAt)
    .flatMap(readCases)
    .filter((one) => flags.only === undefined || one.id.includes(flags.only));
  const wrong: string[] = [];
  let skipped = 0;
  for (const one of cases) {
    const difference = differenceIn(one);
    if (known.has(one.id) && difference === undefined) wrong.push(`${one.id}: identical now, delete its skip`);
    else if (known.has(one.id)) skipped++;
    else if (difference !== undefined) wrong.push(`${one.id}: ${difference}`);
  }
  for (const line of wrong.slice(0, flags.all ? wrong.length : 20)) console.log(line);
  if (!flags.all && wrong.length > 20) console.log(`… and ${wrong.length - 20} more (--all)`);
  if (skipped > 0) console.log(`skipped ${skipped}`);
  const count = cases.length - skipped;
  console.log(`identical ${count - wrong.length} of ${count}`);
  if (wrong.length > 0) process.exitCode = 1;
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.jsonl(?:\.gz)?$/.test(name));
  return names.sort().map((name) => join(path, name));
}

function readCases(file: string): OracleCase[] {
  const data = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(data) : data).toString('utf8');
  // the oracle program writes these files
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as OracleCase]));
}

function readSkips(): ReadonlySet<string> {
  const rows = readFileSync(new URL('oracle-skips.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  for (const [id = '', reason = ''] of rows) {
    if (!/^(?:fuzz[0-9]+|yaml):/.test(id) || reason === '') throw new Error(`no skip: ${id}`);
  }
  if (rows.length > 30) throw new Error(`${rows.length} cases are skipped, 30 are the most`);
  return new Set(rows.map(([id = '']) => id));
}

function differenceIn(one: OracleCase): string | undefined {
  const actual = runOracleCase(one);
  for (const [field, value] of Object.entries(actual)) {
    const expected = one[field as keyof OracleCase]; // fields of results are fields of cases
    if (JSON.stringify(sorted(expected)) === JSON.stringify(sorted(value))) continue;
    return `${field}: expected ${shown(expected)}, got ${shown(value)} for ${shown(one.template ?? one.text ?? one.yaml)}`;
  }
  return undefined;
}

function shown(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 500);
}

/** Returns the same data with the keys of its objects sorted. */
function sorted(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(sorted);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, sorted(value)]),
  );
}
