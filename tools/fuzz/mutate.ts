import type { Random } from './random.ts';
import type { FuzzTarget } from './targets.ts';

/** Characters that parsers often handle wrongly. */
const odd = [
  '\0',
  '\t',
  '\r\n',
  '\x7f',
  '\x85',
  '\u2028',
  '\ufeff',
  'é',
  '𝒳',
  '\ud800',
  '\udcff',
  '9'.repeat(40),
  ' '.repeat(200),
];

type Mutation = (text: string, random: Random, target: FuzzTarget) => string;

const mutations: readonly Mutation[] = [
  (text, random) => splice(text, random, random.below(8), ''),
  (text, random, { tokens }) => splice(text, random, 0, random.pick(tokens)),
  (text, random, { tokens }) => splice(text, random, 1 + random.below(4), random.pick(tokens)),
  (text, random) => splice(text, random, 0, random.pick(odd)),
  (text, random) => splice(text, random, random.below(2), String.fromCharCode(random.below(256))),
  (text, random) => splice(text, random, 0, part(text, random)),
  (text, random) => splice(text, random, 0, part(text, random).repeat(random.below(50))),
  (text, random, { seeds }) => splice(text, random, random.below(20), part(random.pick(seeds), random)),
  (text, random, { tokens }) => splice(text, random, 0, random.pick(tokens).repeat(1 + random.below(2000))),
  (text, random) => text.slice(0, random.below(text.length + 1)),
];

/** Returns a text like the target's examples, with something wrong in it. */
export function mutated(target: FuzzTarget, random: Random): string {
  let text = random.pick(target.seeds);
  for (let count = 1 + random.below(6); count > 0; count--) text = random.pick(mutations)(text, random, target);
  return text.slice(0, 20_000);
}

/** Replaces `count` characters at a random position. */
function splice(text: string, random: Random, remove: number, insert: string): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + insert + text.slice(at + remove);
}

function part(text: string, random: Random): string {
  const start = random.below(text.length + 1);
  return text.slice(start, start + random.below(30));
}
