import test from 'ava';
import type { Garbage } from '../../src/threads/garbage.ts';
import { startMemoryKeeper } from '../../src/threads/memory-keeper.ts';
import { eventually } from '../support/eventually.ts';

const mebibyte = 2 ** 20;

/** Returns what is collected while the values grow by 30 MiB and no further. */
async function collected(residentMiB: number): Promise<Set<Garbage>> {
  const seen = new Set<Garbage>();
  let valuesMiB = 10;
  let measurements = 0;
  const nextMeasurements = async () => {
    const until = measurements + 3;
    await eventually('memory is measured three times', () => measurements >= until);
  };
  const stop = startMemoryKeeper({
    processBytes: 100 * mebibyte,
    residentBytes() {
      measurements++;
      return residentMiB * mebibyte;
    },
    valueBytes: () => valuesMiB * mebibyte,
    collectGarbage: (garbage) => seen.add(garbage),
    intervalMs: 1,
  });
  await nextMeasurements();
  if (seen.size > 0) return seen;
  valuesMiB = 40;
  await nextMeasurements();
  stop();
  return seen;
}

test('collects nothing while there is enough memory', async (t) => {
  t.deepEqual(await collected(49), new Set());
});

test('collects young garbage when half of the memory is used', async (t) => {
  t.deepEqual(await collected(51), new Set(['young']));
});

test('collects all garbage when memory gets scarce', async (t) => {
  t.deepEqual(await collected(70), new Set(['young', 'all']));
});
