import type { Operand } from './operand.ts';
import type { Place } from './place.ts';
import { nested } from './run.ts';
import type { CompiledTemplate, Context, Scope } from './scope.ts';

/** A fresh context, with copies of these variables. */
export function contextOf(template: CompiledTemplate, variables: ReadonlyMap<string, Operand> = new Map()): Context {
  const blocks = new Map(Array.from(template.blocks, ([name, block]) => [name, [block]]));
  return { variables: new Map(variables), blocks, exported: new Set() };
}

/** Runs a template, and in its place the one that it extends; returns the text. */
export function runTemplate(
  template: CompiledTemplate,
  scope: Pick<Scope, 'page' | 'context' | 'frame'>,
  place: Place,
): string {
  return nested(scope.page.run, place, () => {
    const inner: Scope = { ...scope, output: { text: '' }, inheritance: {} };
    template.body(inner);
    const { parent } = inner.inheritance;
    return parent === undefined ? inner.output.text : runTemplate(parent, scope, place);
  });
}
