import { quote } from '../../go/strconv.ts';

/** Token types. Each keyword has a type of its own. */
export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'character constant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'EOF'
  | 'field'
  | 'identifier'
  | 'left delimiter'
  | '('
  | 'number'
  | '|'
  | 'raw string'
  | 'right delimiter'
  | ')'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | Keyword;

const keywords = [
  '.',
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
] as const;

/** Words of the language, and the single dot. */
export type Keyword = (typeof keywords)[number];

const keywordSet: ReadonlySet<string> = new Set(keywords);

/** Whether a word, or the type of a token, is a keyword. */
export function isKeyword(word: string): word is Keyword {
  return keywordSet.has(word);
}

export interface Token {
  readonly type: TokenType;
  /** Offset in the text. */
  readonly pos: number;
  /** Text of the token; the message of an error. */
  readonly value: string;
}

/** Formats a token for error messages. */
export function describeToken({ type, value }: Token): string {
  if (type === 'EOF') return 'EOF';
  if (type === 'error') return value;
  if (isKeyword(type)) return `<${value}>`;
  const characters = Array.from(value);
  return characters.length > 10 ? `${quote(characters.slice(0, 10).join(''))}...` : quote(value);
}
