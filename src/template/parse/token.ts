import { quote } from '../../go/strconv.ts';

/** What a token of a template is. Keywords are tokens of their own. */
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

/** Words of the language, and the lone dot. */
export type Keyword = (typeof keywords)[number];

const keywordSet: ReadonlySet<string> = new Set(keywords);

/** Whether a word, or the type of a token, is a keyword. */
export function isKeyword(word: string): word is Keyword {
  return keywordSet.has(word);
}

export interface Token {
  readonly type: TokenType;
  /** Where it starts in the text. */
  readonly pos: number;
  /** Its text; of an error the message. */
  readonly value: string;
}

/** A token as error messages show it. */
export function describeToken({ type, value }: Token): string {
  if (type === 'EOF') return 'EOF';
  if (type === 'error') return value;
  if (isKeyword(type)) return `<${value}>`;
  const characters = Array.from(value);
  return characters.length > 10 ? `${quote(characters.slice(0, 10).join(''))}...` : quote(value);
}
