import { ChartError } from '../chart-error.ts';

/**
 * Compiles a pattern of Go's `filepath.Match`: `*` and `?` do not match slashes, brackets hold
 * ranges, `^` negates. Throws {@link ChartError}.
 */
export function compilePathPattern(pattern: string): RegExp {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '[') {
      const [range, next] = compileRange(pattern, i + 1);
      source += range;
      i = next;
    } else if (character === '\\') {
      i++;
      if (i >= pattern.length) throw badPattern();
      source += escape(pattern.charAt(i));
    } else source += escape(character);
  }
  return new RegExp(`^${source}$`, 's');
}

/** Compiles a bracket expression. Returns the offset of its closing bracket. */
function compileRange(pattern: string, start: number): [source: string, end: number] {
  let i = start;
  const negated = pattern.charAt(i) === '^';
  if (negated) i++;
  let ranges = '';
  for (let first = true; first || pattern.charAt(i) !== ']'; first = false) {
    const [low, afterLow] = rangeEnd(pattern, i);
    i = afterLow;
    let high = low;
    if (pattern.charAt(i) === '-') [high, i] = rangeEnd(pattern, i + 1);
    if (low <= high) ranges += low === high ? escape(low) : `${escape(low)}-${escape(high)}`;
  }
  return [`(?!/)[${negated ? '^' : ''}${ranges}]`, i];
}

function rangeEnd(pattern: string, start: number): [character: string, next: number] {
  let i = start;
  if (i >= pattern.length || pattern.charAt(i) === '-' || pattern.charAt(i) === ']') throw badPattern();
  if (pattern.charAt(i) === '\\') i++;
  const character = pattern.charAt(i);
  if (i + 1 >= pattern.length) throw badPattern();
  return [character, i + 1];
}

function escape(character: string): string {
  return /[\w/]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function badPattern(): ChartError {
  return new ChartError('chart_invalid', 'syntax error in pattern');
}
