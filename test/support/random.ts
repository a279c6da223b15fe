/** Returns random numbers from 0 up to 1 that follow from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the seed in the environment variable SEED, or a new one. */
export function seedOf(env: NodeJS.ProcessEnv): number {
  return Number(env['SEED'] ?? Math.floor(Math.random() * 1e9));
}
