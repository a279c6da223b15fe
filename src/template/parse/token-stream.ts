import { TemplateParseError } from '../template-error.ts';
import { lineOf } from '../template-file.ts';
import type { Lexer } from './lexer.ts';
import { describeToken, type Token, type TokenType } from './token.ts';

/** The tokens of a template, with as much lookahead as the grammar needs. */
export class TokenStream {
  readonly name: string;
  readonly #text: string;
  readonly #lexer: Lexer;
  /** The token most recently read from the lexer; errors are reported on its line. */
  #latest: Token = { type: 'EOF', pos: 0, value: '' };
  /** Tokens put back, the next one last. */
  readonly #ahead: Token[] = [];
  /** Offset of the action being parsed, for errors inside it; undefined outside. */
  actionStart: number | undefined;

  constructor(name: string, text: string, lexer: Lexer) {
    this.name = name;
    this.#text = text;
    this.#lexer = lexer;
  }

  next(): Token {
    return this.#ahead.pop() ?? this.#read();
  }

  #read(): Token {
    this.#latest = this.#lexer.next();
    return this.#latest;
  }

  /** Puts tokens back; the first is the next to be read. */
  back(token: Token, second?: Token): void {
    if (second !== undefined) this.#ahead.push(second);
    this.#ahead.push(token);
  }

  peek(): Token {
    const token = this.next();
    this.#ahead.push(token);
    return token;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== 'space') return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.#ahead.push(token);
    return token;
  }

  /** Reads the next token except space, which must have one of the types. */
  expect(context: string, ...types: TokenType[]): Token {
    const token = this.nextNonSpace();
    return types.includes(token.type) ? token : this.unexpected(token, context);
  }

  unexpected(token: Token, context: string): never {
    if (token.type !== 'error') return this.fail(`unexpected ${describeToken(token)} in ${context}`);
    return this.fail(token.value + this.#actionStartNote(token));
  }

  #actionStartNote({ pos, value }: Token): string {
    if (this.actionStart === undefined) return '';
    const line = lineOf(this.#text, this.actionStart);
    if (line === lineOf(this.#text, pos)) return '';
    return `${value.endsWith(' action') ? '' : ' in action'} started at ${this.name}:${line}`;
  }

  fail(message: string): never {
    throw new TemplateParseError(this.name, lineOf(this.#text, this.#latest.pos), message);
  }
}
