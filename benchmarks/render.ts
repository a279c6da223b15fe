// Measures this engine, cold and warm, Helm's engine in one process, and `helm template`, chart by
// chart in one run.
//   npm run -s bench:render -- DIR [--helm PROGRAM] [--only ID-PART] [--every N] [--all]
// DIR is a corpus (see tools/corpus.ts). Needs Go to build Helm's engine and, without --helm, helm.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type BenchCase, benchKubeVersion, benchNamespace, readCases } from './bench-case.ts';
import { buildHelm, startHelmEngine } from './helm-engine.ts';
import { measureOwn } from './own-engine.ts';
import { geometricMean, median } from './statistics.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    helm: { type: 'string' },
    only: { type: 'string' },
    every: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('usage: npm run -s bench:render -- DIR [--helm PROGRAM] [--only ID-PART] [--every N] [--all]');
  process.exit(2);
}
const run = promisify(execFile);
const effort = { minRuns: 5, minMillis: 20 };

/** Medians of the runs of one chart, in milliseconds. */
interface Times {
  id: string;
  warm: number;
  cold: number;
  /** Helm's engine without merging values and sorting manifests. */
  helmEngine: number;
  /** Helm's engine with values and manifests, comparable to `warm`. */
  helmInProcess: number;
  helmTemplate: number;
}

const cases = readCases(folder)
  .filter(({ id }) => flags.only === undefined || id.includes(flags.only))
  .filter((_, index) => index % Number(flags.every) === 0);
const buildFolder = await mkdtemp(join(tmpdir(), 'helm-engine-'));
const times: Times[] = [];
let helm = flags.helm ?? '';
try {
  console.error('building with Go: a minute or two the first time');
  helm ||= await buildHelm(buildFolder);
  const engine = await startHelmEngine(buildFolder);
  let ticked = performance.now();
  for (const one of cases) {
    times.push(await measure(one, engine));
    if (performance.now() - ticked > 5000) {
      console.error(`${times.length} of ${cases.length} charts`);
      ticked = performance.now();
    }
  }
  await engine.close();
} finally {
  await rm(buildFolder, { recursive: true });
}
if (flags.all) for (const one of times) console.log(lineOf(one));
report();
await reportMemory(folder);

async function measure(one: BenchCase, engine: Awaited<ReturnType<typeof startHelmEngine>>): Promise<Times> {
  const theirs = await engine.measure(one, effort);
  const own = await measureOwn(one, effort);
  const template: number[] = [];
  for (let i = 0; i < 2; i++) template.push(await helmTemplate(one));
  return {
    id: one.id,
    warm: median(own.warm),
    cold: median(own.cold),
    helmEngine: median(theirs.render),
    helmInProcess: median(theirs.render.map((ms, i) => ms + (theirs.values[i] ?? 0) + (theirs.sort[i] ?? 0))),
    helmTemplate: Math.min(...template),
  };
}

async function helmTemplate({ chart, values }: BenchCase): Promise<number> {
  const start = performance.now();
  const facts = ['--namespace', benchNamespace, '--kube-version', benchKubeVersion];
  await run(helm, ['template', 'rel', chart, ...facts, ...(values === undefined ? [] : ['-f', values])], {
    maxBuffer: 1024 * 1024 * 1024,
  });
  return performance.now() - start;
}

function lineOf(one: Times): string {
  const numbers = [one.warm, one.cold, one.helmEngine, one.helmInProcess, one.helmTemplate].map((ms) => ms.toFixed(2));
  return [one.id, ...numbers].join('\t');
}

function report(): void {
  console.log(`${times.length} charts; milliseconds a chart: median, geometric mean`);
  row('helm-agent, warm (same chart, new values)', (one) => one.warm);
  row('helm-agent, cold (load, compile, render)', (one) => one.cold);
  row('Helm in process, the engine alone', (one) => one.helmEngine);
  row('Helm in process, values, engine, manifests', (one) => one.helmInProcess);
  row('helm template, a process', (one) => one.helmTemplate);
  console.log('ratios: geometric mean, median, worst');
  ratio('warm / Helm in process, the engine alone', (one) => one.warm / one.helmEngine);
  ratio('warm / Helm in process, all of it', (one) => one.warm / one.helmInProcess);
  ratio('cold / helm template', (one) => one.cold / one.helmTemplate);
}

function row(title: string, of: (one: Times) => number): void {
  const all = times.map(of);
  console.log(
    `  ${title.padEnd(44)} ${median(all).toFixed(2).padStart(8)} ${geometricMean(all).toFixed(2).padStart(8)}`,
  );
}

function ratio(title: string, of: (one: Times) => number): void {
  const all = times.map(of);
  const worst = times.reduce((a, b) => (of(b) > of(a) ? b : a));
  const numbers = [geometricMean(all), median(all), of(worst)].map((number) => number.toFixed(3).padStart(8));
  console.log(`  ${title.padEnd(44)} ${numbers.join(' ')} (${worst.id})`);
}

/**
 * Measured in a separate process with a fixed heap size, so that neither other data nor the memory
 * of the machine changes the result.
 */
async function reportMemory(corpus: string): Promise<void> {
  const heap = ['--max-old-space-size=192', '--max-semi-space-size=4'];
  const { stdout } = await run(process.execPath, [...heap, join(import.meta.dirname, 'memory.ts'), corpus]);
  console.log(stdout.trimEnd());
}
