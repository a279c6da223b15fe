// Compares the engine's output for the charts of a corpus with the output of helm.
//   npm run -s corpus -- DIR [--all] [--only ID-PART] [--group NAME]
// DIR has cases.jsonl with one case per line (id, chart, values, exit, stderr, nondeterministic,
// golden, notes) and the files that the cases name.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { createCaseRenderer, runTemplateCase, type TemplateOutcome } from './template-case.ts';

const caseSchema = z.object({
  id: z.string(),
  chart: z.string(),
  values: z.string().nullable(),
  exit: z.number(),
  stderr: z.string().optional(),
  nondeterministic: z.boolean(),
  golden: z.string().nullable(),
  notes: z.string().nullish(),
});
type Case = z.infer<typeof caseSchema>;

const groups = ['manifests', 'notes', 'errors', 'masked', 'refs'] as const;
type Group = (typeof groups)[number];

interface Comparison {
  group: Group;
  id: string;
  /** Returns the difference; undefined if there is none. */
  difference: string | undefined;
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, only: { type: 'string' }, group: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('usage: npm run -s corpus -- DIR [--all] [--only ID-PART] [--group NAME]');
  process.exit(2);
}

const cases = readFileSync(join(folder, 'cases.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => caseSchema.parse(JSON.parse(line)))
  .filter((one) => flags.only === undefined || one.id.includes(flags.only));

const comparisons: Comparison[] = [];
const queue = [...cases];
const threads = availableParallelism();
const renderer = createCaseRenderer(threads, 'ascending');
const descending = createCaseRenderer(1, 'descending');
await Promise.all(Array.from({ length: threads }, work));
await Promise.all([renderer.close(), descending.close()]);
report(comparisons);

async function work(): Promise<void> {
  let one: Case | undefined;
  while ((one = queue.shift()) !== undefined) comparisons.push(...(await compare(folder ?? '', one)));
}

async function compare(root: string, one: Case): Promise<Comparison[]> {
  const group = groupOf(one);
  const outcome = await run(root, one, 'v1.35.0');
  let difference = differenceIn(root, group, one, outcome);
  if (group === 'masked' && difference !== undefined && 'output' in outcome) {
    // samples of the same second agree on the time, and samples that started with the same key of
    // a map agree on it, so what differs in a later render with descending keys is random too
    await sleep(1100);
    const again = await run(root, one, 'v1.35.0', descending);
    if ('output' in again)
      difference = differMasked([...samplesOf(root, one), outcome.output, again.output], outcome.output);
  }
  const comparison = { group, id: one.id, difference };
  if (!one.notes) return [comparison];
  const withNotes = await run(root, one, 'v1.36.0');
  const notes = 'notes' in withNotes ? differ(read(root, one.notes), withNotes.notes) : withNotes.error;
  return [comparison, { group: 'notes', id: one.id, difference: notes }];
}

function run(root: string, one: Case, kubeVersion: string, by = renderer): Promise<TemplateOutcome> {
  const valuesFile = one.values === null ? undefined : join(root, one.values);
  return runTemplateCase(
    { chart: join(root, one.chart), valuesFile, name: 'rel', namespace: 'testns', kubeVersion, includeCrds: true },
    by,
  );
}

function groupOf(one: Case): Group {
  if (one.exit !== 0) return one.stderr?.includes('dial tcp') ? 'refs' : 'errors';
  return one.nondeterministic ? 'masked' : 'manifests';
}

function differenceIn(root: string, group: Group, one: Case, outcome: TemplateOutcome): string | undefined {
  if (group === 'errors' || group === 'refs') {
    if (!('error' in outcome)) return 'renders, but helm fails';
    const expected = errorOf(one.stderr ?? '');
    if (group === 'errors') return differ(expected, `Error: ${outcome.error}\n`);
    const url = /failing loading "([^"]*)"/.exec(expected)?.[1] ?? '';
    return url !== '' && outcome.error.includes(url)
      ? undefined
      : `expected a refusal of ${url}, got: ${outcome.error}`;
  }
  if ('error' in outcome) return outcome.error;
  if (group === 'masked') {
    return differMasked(samplesOf(root, one), outcome.output);
  }
  return one.golden === null ? 'the case has no golden file' : differ(read(root, one.golden), outcome.output);
}

/** Returns the text after the log lines. */
function errorOf(stderr: string): string {
  const at = stderr.startsWith('Error: ') ? 0 : stderr.indexOf('\nError: ') + 1;
  return stderr.slice(at);
}

function read(root: string, file: string): string {
  return gunzipSync(readFileSync(join(root, file))).toString('utf8');
}

function differ(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined;
  const theirs = expected.split('\n');
  const ours = actual.split('\n');
  const line = theirs.findIndex((text, i) => text !== ours[i]);
  const at = line === -1 ? theirs.length : line;
  return `line ${at + 1}: expected ${JSON.stringify(theirs[at])}, got ${JSON.stringify(ours[at])}`;
}

function samplesOf(root: string, one: Case): string[] {
  return [1, 2].map((n) => read(root, `samples/${one.id}.${n}.yaml.gz`));
}

/**
 * Marks lines that differ between samples of the same build: they are random and can have any text.
 * `samples` come in pairs.
 */
function differMasked(samples: string[], actual: string): string | undefined {
  const lines = samples.map((sample) => sample.split('\n'));
  const isRandom = (i: number) => lines.some((pair, n) => n % 2 === 0 && pair[i] !== lines[n + 1]?.[i]);
  const mask = (text: string) => text.split('\n').map((line, i) => (isRandom(i) ? '' : line));
  return differ(mask(samples[0] ?? '').join('\n'), mask(actual).join('\n'));
}

function report(all: Comparison[]): void {
  const wrong = all.filter(({ group, difference }) => difference !== undefined && (flags.group ?? group) === group);
  wrong.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { group, id, difference } of wrong.slice(0, flags.all ? wrong.length : 20)) {
    console.log(`${group} ${id}: ${(difference ?? '').slice(0, 600)}`);
  }
  if (!flags.all && wrong.length > 20) console.log(`… and ${wrong.length - 20} more (--all)`);
  for (const group of groups) {
    const ofGroup = all.filter((one) => one.group === group);
    console.log(`${group} ${ofGroup.filter((one) => one.difference === undefined).length} of ${ofGroup.length}`);
  }
  console.log(`identical ${all.filter((one) => one.difference === undefined).length} of ${all.length}`);
  if (wrong.length > 0) process.exitCode = 1;
}
