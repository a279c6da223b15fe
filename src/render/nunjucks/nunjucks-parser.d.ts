// Only the parser of Nunjucks is used, by the paths of its files: its compiler and its environment are not even loaded.

declare module 'nunjucks/src/lexer.js' {
  /** Gives the parser its tokens, and says how far it is. */
  export interface Tokenizer {
    readonly lineno: number;
    readonly colno: number;
    /** Takes what the pattern finds in the rest of the text. */
    _extractRegex: (pattern: RegExp) => RegExpMatchArray | null;
  }
  const lexer: { lex(text: string): Tokenizer };
  export default lexer;
}

declare module 'nunjucks/src/parser.js' {
  import type { Tokenizer } from 'nunjucks/src/lexer.js';

  interface Parser {
    /** Throws errors of any class; those with a number in `lineno` say where they are, from 1. */
    parseAsRoot(): unknown;
  }
  const parser: { Parser: new (tokens: Tokenizer) => Parser };
  export default parser;
}
