import test from 'ava';
import { type Harness, type HarnessOptions, openHarness } from './open-harness.ts';

/** Opens one harness for all tests of a file. Returns a function that returns it. */
export function useHarness(options: () => HarnessOptions): () => Harness {
  let harness: Harness | undefined;
  test.before('control plane and agent', async () => {
    harness = await openHarness(options());
  });
  test.after.always('control plane and agent', async () => {
    await harness?.close();
  });
  return () => {
    if (!harness) throw new Error('the harness is not open');
    return harness;
  };
}
