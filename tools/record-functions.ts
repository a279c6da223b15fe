// Records again what Helm prints for the templates in test/functions/fixtures/*.jsonl:
//   npm run -s record:functions -- ORACLE
// ORACLE is a program over Helm's packages that reads a case a line ({"id", "template"}) with
// `-mode render` and prints a result a line: {"id", "output"}, {"id", "output_b64"} or
// {"id", "error"}.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

interface Result {
  readonly output?: string;
  readonly output_b64?: string;
  readonly error?: string;
}

const [oracle] = process.argv.slice(2);
if (oracle === undefined) {
  console.error('usage: npm run -s record:functions -- ORACLE');
  process.exit(2);
}

const folder = new URL('../test/functions/fixtures/', import.meta.url);
for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
  const url = new URL(file, folder);
  // the fixtures and the oracle's results are JSON lines with these fields
  const templates = readLines<{ template: string }>(readFileSync(url, 'utf8')).map(({ template }) => template);
  const cases = templates.map((template, i) => `${JSON.stringify({ id: String(i), template })}\n`);
  const { stdout, stderr, status } = spawnSync(oracle, ['-mode', 'render'], {
    input: cases.join(''),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${oracle} failed: ${stderr}`);
  const results = readLines<Result>(stdout);
  if (results.length !== templates.length) throw new Error(`${file}: ${results.length} results`);
  const lines = templates.map((template, i) => JSON.stringify({ template, ...recorded(results[i] ?? {}) }));
  writeFileSync(url, `${lines.join('\n')}\n`);
  console.log(`${file}: ${templates.length} templates`);
}

function readLines<T>(text: string): T[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** Keeps the end of an error, because its start depends on the chart that the template is in. */
function recorded({ output, output_b64: outputBase64, error }: Result): object {
  if (error !== undefined) return { error: error.replace(/^.*?(?:error calling \w+: |at <[^\n]*>:\n\s*)/s, '') };
  return outputBase64 === undefined ? { output: output ?? '' } : { outputBase64 };
}
