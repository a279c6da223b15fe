// Runs the hostile tests, the slow ones included, and prints their figures as a Markdown table.
// With --write, the table also replaces the one in docs/limits.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Figure, figuresFolder } from '../test/hostile/support/figures.ts';

const document = new URL('../docs/limits.md', import.meta.url);
const markers = { start: '<!-- figures of npm run hostile -->\n', end: '<!-- end of the figures -->\n' };

function readFigures(): Figure[] {
  const lines = readFileSync(`${figuresFolder}figures.jsonl`, 'utf8').trim().split('\n');
  // recordFigure writes nothing else
  return lines.map((line) => JSON.parse(line) as Figure);
}

function tableOf(figures: readonly Figure[]): string {
  const rows = figures
    .toSorted((a, b) => (a.input < b.input ? -1 : 1))
    .map(({ input, stallMs, peakMiB, responseMs, code }) => [
      input,
      String(stallMs),
      String(peakMiB),
      String(responseMs),
      `\`${code}\``,
    ]);
  const head = ['Input', 'Largest stall (ms)', 'Peak memory (MiB)', 'Response after (ms)', 'Response'];
  return [head, ['---', '---:', '---:', '---:', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function writeTable(table: string): void {
  const text = readFileSync(document, 'utf8');
  const [start, end] = [text.indexOf(markers.start), text.indexOf(markers.end)];
  if (start === -1 || end < start) throw new Error(`docs/limits.md has no ${markers.start.trim()}`);
  writeFileSync(document, `${text.slice(0, start)}${markers.start}\n${table}\n${text.slice(end)}`);
}

rmSync(figuresFolder, { recursive: true, force: true });
const run = spawnSync('ava', ['test/hostile/**', '--concurrency', '1', '--timeout', '180s'], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, HELM_AGENT_HOSTILE: 'slow' },
});
const table = tableOf(readFigures());
console.log(`\n${table}`);
if (process.argv.includes('--write')) writeTable(table);
process.exitCode = run.status ?? 1;
