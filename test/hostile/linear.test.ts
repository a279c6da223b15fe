import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { type GrowingText, growingTexts } from './support/growing-texts.ts';

/** Growth of the text. Linear time grows as much, quadratic time 256 times. */
const growth = 16;
/** Allows for caches and for a machine that does other work. */
const mostGrowth = 90;
/** Times in milliseconds: below the first a text is fast, from the second on it is long enough. */
const tooShort = 0.2;
const longEnough = 2.5;
const longest = 100_000;
const attempts = 20;

/**
 * Returns the shortest time of several runs, each of which reads the text a number of times. A text
 * may be wrong: the error takes time, too.
 */
function timeOf({ read }: GrowingText, text: string, runs: number, times = 1): number {
  let shortest = Infinity;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    for (let time = 0; time < times; time++) {
      try {
        read(text);
      } catch {
        // the fuzzer checks which error it is
      }
    }
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** Finds a length that takes long enough to be measured. */
function longLength(growing: GrowingText): number {
  let length = 4000;
  while (length < longest && timeOf(growing, growing.ofLength(length), 1) < longEnough) length *= 2;
  return length;
}

async function growthOf(growing: GrowingText): Promise<number> {
  const length = longLength(growing);
  const [short, long] = [growing.ofLength(length / growth), growing.ofLength(length)];
  let smallest = Infinity;
  for (let attempt = 1; attempt <= attempts && smallest > mostGrowth; attempt++) {
    await sleep(attempt); // a program that has slept is interrupted less
    const time = timeOf(growing, long, attempt);
    if (time < tooShort * growth) return 1;
    // as long as one of the long text if time is linear, so that other programs interrupt both
    const shortTime = timeOf(growing, short, 2 * attempt, growth) / growth;
    smallest = Math.min(smallest, time / shortTime);
  }
  return smallest;
}

const parsers = Map.groupBy(growingTexts, ({ name }) => name.replace(/:.*/, ''));
for (const [parser, texts] of parsers) {
  test.serial(`${parser}: a text that is ${growth} times as long does not take more than linear time`, async (t) => {
    for (const growing of texts) {
      const grown = await growthOf(growing);
      t.true(grown <= mostGrowth, `${growing.name} takes ${grown.toFixed(1)} times as long`);
    }
  });
}
