/** Who performs a step. */
type Actor = 'helm3' | 'helm4' | 'agent';

/** A command line of helm, and who performs it. */
export interface ActorStep {
  actor: Actor;
  line: string;
}

type Random = () => number;

const actors: readonly Actor[] = ['helm3', 'helm4', 'agent'];

/** Command lines after the installation. Some fail, according to the state of the release. */
const lines: readonly ((random: Random, revision: number) => string)[] = [
  () => 'upgrade site @one',
  () => 'upgrade site @two',
  (random) => `upgrade site @three --set size=${integer(random, 3)}`,
  (random) => `upgrade site @two --reuse-values --set greeting=g${integer(random, 3)}`,
  () => 'upgrade site @one --reset-values',
  () => 'upgrade site @bad',
  () => 'upgrade site @bad --cleanup-on-fail',
  () => 'upgrade site @two --history-max 3',
  () => 'upgrade site @three --install',
  () => 'upgrade site @two -l team=a',
  () => 'rollback site',
  (random, revision) => `rollback site ${1 + integer(random, revision)}`,
  () => 'uninstall site --keep-history',
  () => 'uninstall site',
  () => 'install site @one',
  () => 'install site @three --replace',
];

/**
 * Returns the steps of an interleaving: an installation, and then changes by different actors. The
 * same seed gives the same steps.
 */
export function interleaving(seed: number, length: number): ActorStep[] {
  const random = mulberry32(seed);
  const steps: ActorStep[] = [
    { actor: choose(random, actors), line: `install site @${choose(random, ['one', 'two'])}` },
  ];
  while (steps.length < length) {
    const line = choose(random, lines);
    steps.push({ actor: choose(random, actors), line: line(random, steps.length) });
  }
  return steps;
}

function choose<T>(random: Random, items: readonly T[]): T {
  const item = items[integer(random, items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

function integer(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

/** Returns a generator of numbers from 0 to 1 (Tommy Ettinger's mulberry32). */
function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
