import { parseFloat64, parseInteger, parseUnsigned } from '../../go/parse-number.ts';
import { quote } from '../../go/strconv.ts';
import { unquoteCharacter } from '../../go/unquote.ts';
import { GoError } from '../../go/value.ts';
import type { NumberNode } from './node.ts';
import type { Token } from './token.ts';

/**
 * Parses a number, a complex number or a character. Throws {@link GoError} if the text is invalid.
 */
export function parseNumber(token: Token): NumberNode {
  switch (token.type) {
    case 'character constant':
      return character(token);
    case 'complex':
      return complexSum(token);
    default:
      return imaginary(token) ?? real(token);
  }
}

function character(token: Token): NumberNode {
  const first = unquoteCharacter(token.value.slice(1));
  if (first === undefined) throw new GoError('invalid syntax');
  if (first.rest !== "'") throw new GoError(`malformed character constant: ${token.value}`);
  const value = BigInt(first.point);
  return node(token, { int: value, uint: value, float: first.point });
}

/** Parses `1+2i`. */
function complexSum(token: Token): NumberNode {
  const at = token.value.search(/(?<=.)(?<![ep])[+-]/i);
  const [realPart, imaginaryPart] = [parseFloat64(token.value.slice(0, at)), parseFloat64(token.value.slice(at, -1))];
  const error = realPart.error ?? imaginaryPart.error;
  if (error !== undefined) throw new GoError(error);
  return complexNode(token, realPart.value, imaginaryPart.value);
}

/** Parses `2i`. */
function imaginary(token: Token): NumberNode | undefined {
  if (!token.value.endsWith('i')) return undefined;
  const { value, error } = parseFloat64(token.value.slice(0, -1));
  return error === undefined ? complexNode(token, 0, value) : undefined;
}

function complexNode(token: Token, realPart: number, imaginaryPart: number): NumberNode {
  const complex = { real: realPart, imaginary: imaginaryPart };
  return imaginaryPart === 0
    ? node(token, { complex, float: realPart, ...wholeNumber(realPart) })
    : node(token, { complex });
}

function real(token: Token): NumberNode {
  const { value: text } = token;
  const signed = parseInteger(text, 0);
  const unsigned = parseUnsigned(text, 0);
  const int = signed.error === undefined ? signed.value : undefined;
  const uint = unsigned.error === undefined || int === 0n ? unsigned.value : undefined;
  const whole = int ?? uint;
  if (whole !== undefined) return node(token, { int, uint, float: Number(whole) });
  const { value: float, error } = parseFloat64(text);
  if (error !== undefined) throw new GoError(`illegal number syntax: ${quote(text)}`);
  if (!/[.ep]/i.test(text)) throw new GoError(`integer overflow: ${quote(text)}`);
  return node(token, { float, ...wholeNumber(float) });
}

/** Returns a float as integers, if it is whole and in range. */
function wholeNumber(float: number): Pick<Partial<NumberNode>, 'int' | 'uint'> {
  if (!Number.isInteger(float)) return {};
  return {
    ...(float >= -(2 ** 63) && float < 2 ** 63 && { int: BigInt(float) }),
    ...(float >= 0 && float < 2 ** 64 && { uint: BigInt(float) }),
  };
}

type Forms = { readonly [K in 'int' | 'uint' | 'float' | 'complex']?: NumberNode[K] };

function node({ pos, value }: Token, { int, uint, float, complex }: Forms): NumberNode {
  return { kind: 'number', pos, text: value, int, uint, float, complex };
}
