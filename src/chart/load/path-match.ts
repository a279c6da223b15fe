import { ChartError } from '../chart-error.ts';

/** A compiled pattern. */
export interface PathPattern {
  test(name: string): boolean;
}

/** Matches one character, or with `star` any number of characters except slashes. */
type Token = 'star' | ((character: string) => boolean);

/**
 * Compiles a pattern of Go's `filepath.Match`: `*` and `?` do not match slashes, brackets hold
 * ranges, `^` negates. Throws {@link ChartError}.
 */
export function compilePathPattern(pattern: string): PathPattern {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i++) {
    let character = characters[i];
    if (character === '*') tokens.push('star');
    else if (character === '?') tokens.push((other) => other !== '/');
    else if (character === '[') {
      const [isInRange, end] = compileRange(characters, i + 1);
      tokens.push(isInRange);
      i = end;
    } else {
      if (character === '\\') character = characters[++i];
      if (character === undefined) throw badPattern();
      tokens.push((other) => other === character);
    }
  }
  return { test: (name) => matchTokens(tokens, Array.from(name)) };
}

/** Goes back only to the last star, so the time is bounded by the product of the lengths. */
function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let [token, position] = [0, 0];
  let lastStar: { token: number; position: number } | undefined;
  while (token < tokens.length || position < name.length) {
    const current = tokens[token];
    const character = name[position];
    if (current === 'star') {
      lastStar = { token, position };
      token++;
    } else if (current !== undefined && character !== undefined && current(character)) {
      token++;
      position++;
    } else {
      const skipped = lastStar && name[lastStar.position];
      if (lastStar === undefined || skipped === undefined || skipped === '/') return false;
      lastStar.position++;
      token = lastStar.token + 1;
      position = lastStar.position;
    }
  }
  return true;
}

/** Compiles a bracket expression. Returns the index of its closing bracket. */
function compileRange(
  pattern: readonly string[],
  start: number,
): [isInRange: (character: string) => boolean, end: number] {
  let i = start;
  const negated = pattern[i] === '^';
  if (negated) i++;
  const ranges: [low: string, high: string][] = [];
  for (let first = true; first || pattern[i] !== ']'; first = false) {
    const [low, afterLow] = rangeEnd(pattern, i);
    i = afterLow;
    let high = low;
    if (pattern[i] === '-') [high, i] = rangeEnd(pattern, i + 1);
    ranges.push([low, high]);
  }
  const isListed = (character: string): boolean => ranges.some(([low, high]) => low <= character && character <= high);
  return [(character) => character !== '/' && isListed(character) !== negated, i];
}

function rangeEnd(pattern: readonly string[], start: number): [character: string, next: number] {
  let i = start;
  if (pattern[i] === '-' || pattern[i] === ']') throw badPattern();
  if (pattern[i] === '\\') i++;
  const character = pattern[i];
  if (character === undefined || i + 1 >= pattern.length) throw badPattern();
  return [character, i + 1];
}

function badPattern(): ChartError {
  return new ChartError('chart_invalid', 'syntax error in pattern');
}
