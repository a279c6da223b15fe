/**
 * A matcher for the patterns of `.Files.Glob`, as github.com/gobwas/glob reads them with `/` as separator: `*` and `?` stay within a
 * folder, `**` does not, `[abc]`, `[!a-z]` (one range only), `{a,b}`, `\` quotes. A pattern that cannot be read matches every name, as in Helm.
 */
export function compileGlob(pattern: string): (name: string) => boolean {
  const source = new GlobReader(pattern).translate();
  if (source === undefined) return () => true;
  const expression = new RegExp(`^${source}$`, 'su');
  return (name) => expression.test(name);
}

/** Translates one pattern into the source of a regular expression; undefined where the pattern is in error. */
class GlobReader {
  readonly #runes: readonly string[];
  #position = 0;

  constructor(pattern: string) {
    this.#runes = Array.from(pattern);
  }

  translate(): string | undefined {
    let source = '';
    let depth = 0;
    while (this.#position < this.#runes.length) {
      const rune = this.#next();
      if (rune === '{') {
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
      } else if (rune === '?') {
        source += '[^/]';
      } else if (rune === '*') {
        source += this.#take('*') ? '.*' : '[^/]*';
      } else {
        this.#position--;
        source += quote(this.#text(depth > 0 ? '?*[{},' : '?*[{'));
      }
    }
    return source + ')'.repeat(depth);
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

  /** Reads up to one of `breakers`, taking quoted characters as they are. */
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
