// Only Nunjucks's parser is used, through the paths of its files. Its compiler and its
// environment are not loaded.

declare module 'nunjucks/src/lexer.js' {
  /** Reads the tokens for the parser. Has the current position. */
  export interface Tokenizer {
    readonly lineno: number;
    readonly colno: number;
    /** Reads the next match of the pattern in the rest of the text. */
    _extractRegex: (pattern: RegExp) => RegExpMatchArray | null;
  }
  const lexer: { lex(text: string): Tokenizer };
  export default lexer;
}

declare module 'nunjucks/src/parser.js' {
  import type { Tokenizer } from 'nunjucks/src/lexer.js';

  interface Parser {
    /** Throws errors of any class. If `lineno` is a number, it is their line, from 1. */
    parseAsRoot(): unknown;
  }
  const parser: { Parser: new (tokens: Tokenizer) => Parser };
  export default parser;
}
