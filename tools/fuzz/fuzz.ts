// Passes wrong texts to all functions that parse texts of charts and users. A finding is an error
// that is not one of the project's own, or a call that takes more than a second.
//   npm run -s fuzz -- [--seconds N] [--seed S] [--only NAME]
// The same seed generates the same texts. A finding is printed with the shortest text that causes
// it.
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { createDisplay, type Display, displayOn } from './display.ts';
import { minimised } from './minimise.ts';
import { mutated } from './mutate.ts';
import { randomOf } from './random.ts';
import { type FuzzTarget, fuzzTargets, isOwnError } from './targets.ts';

/** Time in milliseconds. */
const slow = 1000;
const hang = 20_000;
const mostFindings = 20;

// templates nest deeper than the main thread's stack allows
if (isMainThread) {
  const shown = createDisplay();
  new Worker(new URL(import.meta.url), {
    argv: process.argv.slice(2),
    workerData: shown.memory,
    resourceLimits: { stackSizeMb: 256, maxOldGenerationSizeMb: 2048 },
  }).on('exit', (code) => process.exit(code));
  reportHangs(shown);
} else {
  // the main thread passes these fields
  fuzz(displayOn(workerData as SharedArrayBuffer));
}

/** Ends the process if one text keeps the thread busy for too long. */
function reportHangs(display: Display): void {
  let last = -1;
  setInterval(() => {
    if (display.count() === last) {
      print(`hangs:\n  ${JSON.stringify(display.text())}`);
      process.exit(1);
    }
    last = display.count();
  }, hang);
}

/** A busy thread cannot print through streams. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}

function fuzz(display: Display): void {
  const { values: flags } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string' },
    },
  });
  const targets = fuzzTargets.filter(({ name }) => flags.only === undefined || name === flags.only);
  const random = randomOf(Number(flags.seed));
  const end = performance.now() + Number(flags.seconds) * 1000;
  const found = new Set<string>();
  let count = 0;
  for (; performance.now() < end && targets.length > 0 && found.size < mostFindings; count++) {
    const target = random.pick(targets);
    const text = mutated(target, random);
    const problem = problemOf(target, text, display);
    if (problem === undefined || found.has(`${target.name} ${problem.kind}`)) continue;
    found.add(`${target.name} ${problem.kind}`);
    const shortest = minimised(text, (shorter) => problemOf(target, shorter, display)?.kind === problem.kind);
    print(`${target.name}: ${problem.text}\n  ${JSON.stringify(shortest)}`);
  }
  print(`seed ${flags.seed}: ${count} texts, ${found.size} findings`);
  if (found.size > 0 || count === 0) process.exitCode = 1;
}

interface Problem {
  /** Returns a text that is equal for problems that seem to have the same cause. */
  readonly kind: string;
  readonly text: string;
}

function problemOf(target: FuzzTarget, text: string, display: Display): Problem | undefined {
  display.show(`${target.name}: ${text}`);
  const start = performance.now();
  try {
    target.run(text);
  } catch (error) {
    if (!isOwnError(error)) return defect(error);
  }
  const time = Math.round(performance.now() - start);
  return time > slow ? { kind: 'slow', text: `takes ${time} ms` } : undefined;
}

function defect(error: unknown): Problem {
  if (!(error instanceof Error)) return { kind: 'no error', text: String(error) };
  const place =
    error.stack
      ?.split('\n')
      .find((line) => line.includes('/src/'))
      ?.trim() ?? '';
  return { kind: `${error.name} ${place}`, text: `${error.name}: ${error.message.slice(0, 300)} ${place}` };
}
