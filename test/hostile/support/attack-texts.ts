import type { AST } from '@eslint-community/regexpp';
import { parseRegExpLiteral } from '@eslint-community/regexpp';

/** A beginning, a part that is repeated, and an end. */
export interface AttackText {
  start: string;
  repeated: string;
  end: string;
}

/** Repetitions up to this number take a bounded time at each place of a text. */
const fewRepetitions = 64;

/** Ends that most patterns do not match. */
const ends = ['', '\0', '\n', '!', ' x'];

const probes = Array.from({ length: 127 - 32 }, (_, index) => String.fromCharCode(32 + index));
const otherProbes = ['\t', '\n', '\r', '\0', '\x7f', '\x85', '\u00e9', '\u2028', '\u6f22', '\ud800', '\u{1f600}'];
const likely = ['a', '0', 'A', '-', '.', '_', ' '];

/** Returns the length of a text of 1 MiB, or of any other length, that an attack consists of. */
export function attackOfLength({ start, repeated, end }: AttackText, length: number): string {
  return start + repeated.repeat(Math.ceil(length / repeated.length)) + end;
}

/**
 * Returns texts that make the most work for a pattern with backtracking: for each repetition of it,
 * what comes before it once or many times, then many of its elements, and an end that does not
 * match. Returns none for a pattern whose work at each place of a text is bounded.
 */
export function attackTexts(pattern: RegExp): AttackText[] {
  const { pattern: tree } = parseRegExpLiteral(pattern);
  const repetitions = [...quantifiersOf(tree)];
  if (repetitions.length === 0) return [];
  const characters = charactersOf(tree, pattern.flags);
  const whole = sampleOf(tree, pattern.flags);
  const texts = new Map<string, AttackText>();
  const add = (start: string, repeated: string): void => {
    if (repeated === '') return;
    for (const end of ends) texts.set(JSON.stringify([start, repeated, end]), { start, repeated, end });
  };
  for (const repetition of repetitions) {
    const before = textBefore(repetition, pattern.flags);
    const element = sampleOf(repetition.element, pattern.flags);
    const own = characters.filter((character) => matches(repetition.element, character, pattern.flags));
    for (const item of new Set([element, ...own.slice(0, 6)])) {
      add('', item);
      add(before, item);
      add('', before + item);
      add('', before + item.repeat(10));
      add(before, item + element);
    }
    add(before, before);
  }
  add('', whole);
  add('', whole.slice(0, -1));
  for (const character of characters.slice(0, 24)) add('', character);
  return [...texts.values()];
}

function* quantifiersOf(node: AST.Node): Generator<AST.Quantifier> {
  if (node.type === 'Quantifier' && node.max > fewRepetitions) yield node;
  for (const child of childrenOf(node)) yield* quantifiersOf(child);
}

function childrenOf(node: AST.Node): readonly AST.Node[] {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives;
    case 'Assertion':
      return 'alternatives' in node ? node.alternatives : [];
    case 'Alternative':
      return node.elements;
    case 'Quantifier':
      return [node.element];
    default:
      return [];
  }
}

/** Returns a short text that a node probably matches. */
function sampleOf(node: AST.Node, flags: string): string {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup': {
      const samples = node.alternatives.map((alternative) => sampleOf(alternative, flags));
      return samples.find((sample) => sample !== '') ?? '';
    }
    case 'Alternative':
      return node.elements.map((element) => sampleOf(element, flags)).join('');
    case 'Quantifier':
      return sampleOf(node.element, flags).repeat(Math.min(Math.max(node.min, 1), fewRepetitions));
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return [...likely, ...probes, ...otherProbes].find((probe) => matches(node, probe, flags)) ?? '';
    default:
      return '';
  }
}

/** Returns what comes before a node: the samples of all that is to the left of it. */
function textBefore(node: AST.Node, flags: string): string {
  const { parent } = node;
  if (!parent) return '';
  const left =
    parent.type === 'Alternative'
      ? parent.elements.slice(0, parent.elements.indexOf(node as AST.Element)).map((one) => sampleOf(one, flags)) // its parent has it
      : [];
  return textBefore(parent, flags) + left.join('');
}

/** Returns characters of all classes, and all literal ones. */
function charactersOf(tree: AST.Node, flags: string): string[] {
  const found = new Set<string>();
  const visit = (node: AST.Node): void => {
    if (node.type === 'Character') found.add(String.fromCodePoint(node.value));
    if (node.type === 'CharacterSet' || node.type === 'CharacterClass') found.add(sampleOf(node, flags));
    for (const child of childrenOf(node)) visit(child);
    if (node.type === 'CharacterClass') {
      for (const one of node.elements) if (one.type === 'Character') found.add(String.fromCodePoint(one.value));
    }
  };
  visit(tree);
  found.delete('');
  return [...found, ...likely.filter((character) => !found.has(character))];
}

function matches(node: AST.Node, text: string, flags: string): boolean {
  return new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/g, '')).test(text);
}
