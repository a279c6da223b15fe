import { unquoteExtended } from '../go/unquote.ts';

/** A step of an expression. Each step is applied to the results of the one before. */
export type Step =
  | { type: 'text'; text: string }
  | { type: 'number'; value: number; isInteger: boolean }
  | { type: 'boolean'; value: boolean }
  | { type: 'field'; name: string }
  | { type: 'wildcard' }
  | { type: 'descent' }
  | { type: 'word'; word: string }
  | { type: 'slice'; from: number | undefined; to: number | undefined; step: number | undefined; isIndex: boolean }
  | { type: 'union'; expressions: Step[][] }
  | { type: 'filter'; left: Step[]; operator: string; right: Step[] };

/** Thrown if a template cannot be parsed. `message` is that of Kubernetes' parser. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/**
 * Parses a template as `kubectl -o jsonpath` does: text, and expressions in braces
 * (k8s.io/client-go/util/jsonpath/parser.go). Throws {@link JsonPathError}.
 */
export function parseJsonPath(template: string): Step[][] {
  const parts: Step[][] = [];
  let at = 0;
  while (at < template.length) {
    const brace = template.indexOf('{', at);
    const end = brace < 0 ? template.length : brace;
    if (end > at) parts.push([{ type: 'text', text: template.slice(at, end) }]);
    if (brace < 0) break;
    const expression = new Expression(template, brace + 1);
    parts.push(expression.steps);
    at = expression.end;
  }
  return parts;
}

function parseExpression(text: string): Step[] {
  const [steps = []] = parseJsonPath(`{${text}}`);
  return steps;
}

class Expression {
  readonly steps: Step[] = [];
  /** Position after the closing brace. */
  readonly end: number;
  readonly #text: string;
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
    while (!this.#text.startsWith('}', this.#at)) this.#step();
    this.end = this.#at + 1;
  }

  #step(): void {
    if (this.#takes('[?(')) this.#filter();
    else if (this.#takes('..')) this.#descent();
    else this.#plainStep();
  }

  #plainStep(): void {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 10);
    if (/[\r\n]/.test(character)) throw new JsonPathError('unclosed action');
    if (/[ @$]/.test(character)) this.#at++;
    else if (character === '[') this.#brackets();
    else if (character === '"' || character === "'") this.#quoted(character);
    else if (character === '.') {
      this.#at++;
      this.#field();
    } else if (/[+\-\p{Nd}]/u.test(character)) this.#number();
    else if (/[_\p{L}]/u.test(character)) this.#word();
    else throw new JsonPathError(`unrecognized character in action: ${codePoint(character)}`);
  }

  #takes(prefix: string): boolean {
    if (!this.#text.startsWith(prefix, this.#at)) return false;
    this.#at += prefix.length;
    return true;
  }

  #take(pattern: RegExp): string {
    const sticky = new RegExp(pattern, 'yu');
    sticky.lastIndex = this.#at;
    const [found = ''] = sticky.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #descent(): void {
    if (this.steps.at(-1)?.type === 'descent') throw new JsonPathError('invalid multiple recursive descent');
    this.steps.push({ type: 'descent' });
    if (/[_\p{L}\p{Nd}]/u.test(this.#text.charAt(this.#at))) this.#field();
  }

  #field(): void {
    const name = this.#take(/(?:\\[^]?|[^\s.,[\]$@{}\\])*/);
    this.steps.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') });
  }

  #word(): void {
    const word = this.#take(/[^ \t\r\n.,[\]$@{}]*/);
    const isBoolean = word === 'true' || word === 'false';
    this.steps.push(isBoolean ? { type: 'boolean', value: word === 'true' } : { type: 'word', word });
  }

  #number(): void {
    const digits = this.#take(/[+-]?[.\p{Nd}]*/u);
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(digits)) throw new JsonPathError(`cannot parse number ${digits}`);
    this.steps.push({ type: 'number', value: Number(digits), isInteger: !digits.includes('.') });
  }

  #quoted(quote: string): void {
    const start = this.#at;
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined || character === '\n') throw new JsonPathError('unterminated quoted string');
      if (character === quote && this.#text[this.#at - 1] !== '\\') break;
    }
    this.#at++;
    const value = this.#text.slice(start, this.#at);
    const text = unquoteExtended(value);
    if (text === undefined) throw new JsonPathError(`unquote string ${value} error invalid syntax`);
    this.steps.push({ type: 'text', text });
  }

  #brackets(): void {
    const inside = /^\[([^\]\n]*)\]/.exec(this.#text.slice(this.#at));
    if (inside === null) throw new JsonPathError('unterminated array');
    this.#at += inside[0].length;
    const text = inside[1] === '*' ? ':' : (inside[1] ?? '');
    const items = text.split(',');
    const key = /^'([^']*)'$/.exec(text)?.[1];
    if (items.length > 1) {
      this.steps.push({
        type: 'union',
        expressions: items.map((item) => parseExpression(`[${item.replace(/^ +| +$/g, '')}]`)),
      });
    } else if (key !== undefined) this.steps.push(...parseExpression(`.${key}`));
    else this.steps.push(sliceOf(text));
  }

  #filter(): void {
    const start = this.#at;
    let quote = '';
    let isPaired = true;
    for (; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined || character === '\n') throw new JsonPathError('unterminated filter');
      if (character === ')' && isPaired) break;
      if (character !== '"' && character !== "'") continue;
      if (quote === '') {
        quote = character;
        isPaired = false;
      } else if (character === quote && this.#text[this.#at - 1] !== '\\') isPaired = true;
    }
    const condition = this.#text.slice(start, this.#at);
    this.#at++;
    if (!this.#takes(']')) throw new JsonPathError('unclosed array expect ]');
    const { left, operator, right } = comparisonOf(condition) ?? {
      left: condition,
      operator: 'exists',
      right: undefined,
    };
    this.steps.push({
      ...{ type: 'filter', left: parseExpression(left), operator },
      right: right === undefined ? [] : parseExpression(right),
    });
  }
}

/** Splits a condition at its operator. Returns undefined if it is not a comparison. */
function comparisonOf(condition: string): { left: string; operator: string; right: string } | undefined {
  const found = /[!<>=]+/.exec(condition);
  if (!found || found.index === 0) return undefined;
  const [characters] = found;
  const end = found.index + characters.length;
  // as in kubectl, the right side is not empty, and has no line break
  const start = end === condition.length ? end - 1 : end;
  const operator = condition.slice(found.index, start);
  const right = condition.slice(start);
  if (operator === '' || right.includes('\n')) return undefined;
  return { left: condition.slice(0, found.index), operator, right };
}

function sliceOf(text: string): Step {
  const parts = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (parts === null) throw new JsonPathError(`invalid array index ${text}`);
  const [from, to, step] = [parts[1] ?? '', parts[2]?.slice(1) ?? '', parts[3]?.slice(1) ?? ''].map((part) => {
    if (part === '-') throw new JsonPathError('array index - is not a number');
    return part === '' ? undefined : Number(part);
  });
  const isIndex = parts[2] === undefined;
  return { type: 'slice', from, to: isIndex ? (from ?? 0) + 1 : to, step, isIndex };
}

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${hex} '${character}'`;
}
