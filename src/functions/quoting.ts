import { format } from '../go/fmt.ts';
import { quote } from '../go/strconv.ts';
import type { Int, Value } from '../go/value.ts';
import type { FunctionFamily } from './family.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { stringOf } from './string-of.ts';
import { repeat } from './strings.ts';

const values = { params: ['interface {}'], variadic: true } as const;

/** Sprig's functions that put text into quotes, beside other text, or under indentation. */
export function quotingFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    quote: {
      ...values,
      call: (...items: Value[]) =>
        present(items)
          .map((item) => quote(stringOf(item)))
          .join(' '),
    },
    squote: {
      ...values,
      call: (...items: Value[]) =>
        present(items)
          .map((item) => `'${format(item)}'`)
          .join(' '),
    },
    cat: {
      ...values,
      call: (...items: Value[]) =>
        present(items)
          .map((item) => format(item))
          .join(' '),
    },
    indent: { params: ['int', 'string'], call: (spaces: Int, text: string) => indent(spaces, text, limits) },
    nindent: { params: ['int', 'string'], call: (spaces: Int, text: string) => `\n${indent(spaces, text, limits)}` },
  };
}

function present(items: readonly Value[]): readonly Value[] {
  return items.filter((item) => item !== null);
}

function indent(spaces: Int, text: string, limits: FunctionLimits): string {
  const pad = repeat(' ', Number(spaces.value), limits);
  const lines = text.split('\n');
  checkBytes(text.length + lines.length * pad.length, limits);
  return pad + lines.join(`\n${pad}`);
}
