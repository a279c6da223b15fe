import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Amount of garbage: `young` values, which take a millisecond or two; `all`; or `all-and-shrink`,
 * which also gives as much memory as possible back to the system.
 */
export type Garbage = 'young' | 'all' | 'all-and-shrink';

/** Collects the garbage of the calling thread. */
export type CollectGarbage = (garbage: Garbage) => void;

interface GcOptions {
  type: 'minor' | 'major';
  execution: 'sync';
  flavor: 'regular' | 'last-resort';
}

const options: Record<Garbage, GcOptions> = {
  young: { type: 'minor', execution: 'sync', flavor: 'regular' },
  all: { type: 'major', execution: 'sync', flavor: 'regular' },
  'all-and-shrink': { type: 'major', execution: 'sync', flavor: 'last-resort' },
};

/** Node accepts `--expose-gc` at its start only; V8 accepts it for a new context at any time. */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  // the function that this flag defines
  const gc = runInNewContext('gc') as (options: GcOptions) => void;
  return (garbage) => gc(options[garbage]);
}
