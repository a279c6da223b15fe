import { RE2JS, RE2JSException } from 're2js';
import { LimitError } from '../../go/limit-error.ts';
import { isAscii } from '../../go/text.ts';

/**
 * Returns a matcher for a pattern of `.Files.Glob`, as github.com/gobwas/glob reads it with `/` as
 * separator: `*` and `?` match within a folder, `**` across folders, `[abc]`, `[!a-z]` (one range
 * only), `{a,b}`, and `\` quotes. An invalid pattern matches every name, as in Helm.
 */
export function compileGlob(pattern: string): (name: string) => boolean {
  const reader = new GlobReader(pattern);
  const source = reader.translate();
  if (source === undefined) return () => true;
  const expression = compile(source);
  const { ends } = reader;
  if (ends === undefined || ends.length < 2) return (name) => expression.matches(name);
  // gobwas matches a sequence of parts of fixed length by cutting the name after the first byte
  // of the last character of each part
  return (name) => expression.matches(name) && endsAreAscii(Array.from(name), ends);
}

/**
 * Uses RE2, because a pattern with many stars takes exponential time in JavaScript's own engine.
 */
function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new LimitError(`a pattern for files is too complex: ${error.message}`);
  }
}

function endsAreAscii(runes: readonly string[], ends: readonly number[]): boolean {
  return ends.every((end) => isAscii(runes[end - 1] ?? ''));
}

/**
 * Translates a pattern into the source of a regular expression; undefined if the pattern is
 * invalid.
 */
class GlobReader {
  readonly #runes: readonly string[];
  #position = 0;
  /** End of each part in a name, in characters; undefined if a part has no fixed length. */
  ends: number[] | undefined = [];

  constructor(pattern: string) {
    this.#runes = Array.from(pattern);
  }

  translate(): string | undefined {
    let source = '';
    let depth = 0;
    while (this.#position < this.#runes.length) {
      const rune = this.#next();
      if (rune === '{') {
        this.ends = undefined;
        depth++;
        source += '(?:';
      } else if (rune === ',' && depth > 0) {
        source += '|';
      } else if (rune === '}' && depth > 0) {
        depth--;
        source += ')';
      } else if (rune === '[') {
        const range = this.#range();
        if (range === undefined) return undefined;
        source += range;
        this.#part(1);
      } else if (rune === '?') {
        source += '[^/]';
        this.#part(1);
      } else if (rune === '*') {
        this.ends = undefined;
        source += this.#take('*') ? '.*' : '[^/]*';
      } else {
        this.#position--;
        const text = this.#text(depth > 0 ? '?*[{},' : '?*[{');
        source += quote(text);
        this.#part(Array.from(text).length);
      }
    }
    return source + ')'.repeat(depth);
  }

  #part(length: number): void {
    this.ends?.push((this.ends.at(-1) ?? 0) + length);
  }

  #range(): string | undefined {
    const not = this.#take('!') ? '^' : '';
    const low = this.#runes[this.#position];
    if (low === undefined) return undefined;
    if (this.#runes[this.#position + 1] === '-') {
      const high = this.#runes[this.#position + 2];
      this.#position += 3;
      if (high === undefined || !this.#take(']')) return undefined;
      if ((high.codePointAt(0) ?? 0) < (low.codePointAt(0) ?? 0)) return undefined;
      return `[${not}${quoteInSet(low)}-${quoteInSet(high)}]`;
    }
    const characters = this.#text(']');
    if (characters === '' || !this.#take(']')) return undefined;
    return `[${not}${Array.from(characters, quoteInSet).join('')}]`;
  }

  /** Reads up to one of `breakers`, without the backslashes of quoted characters. */
  #text(breakers: string): string {
    let text = '';
    let rune: string | undefined;
    while ((rune = this.#runes[this.#position]) !== undefined && !breakers.includes(rune)) {
      this.#position++;
      text += rune === '\\' ? this.#next() : rune;
    }
    return text;
  }

  #next(): string {
    return this.#runes[this.#position++] ?? '';
  }

  #take(rune: string): boolean {
    if (this.#runes[this.#position] !== rune) return false;
    this.#position++;
    return true;
  }
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function quoteInSet(rune: string): string {
  return rune === '-' ? '\\-' : quote(rune);
}
