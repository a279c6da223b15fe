import { format } from '../go/fmt.ts';
import { quote } from '../go/strconv.ts';
import type { Int, Value } from '../go/value.ts';
import type { FunctionFamily } from './support/family.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { stringOf } from './support/string-of.ts';
import { repeat } from './strings.ts';

const values = { params: ['interface {}'], variadic: true } as const;

/** Sprig's functions that quote, concatenate and indent text. */
export function quotingFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    quote: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, (item) => quote(stringOf(item))),
    },
    squote: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, (item) => `'${format(item)}'`),
    },
    cat: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, format),
    },
    indent: { params: ['int', 'string'], call: (spaces: Int, text: string) => indent(spaces, text, limits) },
    nindent: { params: ['int', 'string'], call: (spaces: Int, text: string) => `\n${indent(spaces, text, limits)}` },
  };
}

/** Joins the items that are not nil with spaces. */
function joinWithSpaces(items: readonly Value[], limits: FunctionLimits, show: (item: Value) => string): string {
  let size = 0;
  const texts = items
    .filter((item) => item !== null)
    .map((item) => {
      const text = show(item);
      size += text.length;
      checkBytes(size, limits);
      return text;
    });
  return texts.join(' ');
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function indent(spaces: Int, text: string, limits: FunctionLimits): string {
  const pad = repeat(' ', Number(spaces.value), limits);
  checkBytes(text.length + countLines(text) * pad.length, limits);
  return pad + text.replaceAll('\n', `\n${pad}`);
}
