import type { Operand } from './operand.ts';
import type { Position } from './position.ts';
import { nested } from './run.ts';
import type { CompiledTemplate, TemplateState, Scope } from './scope.ts';

/** Returns a new state with copies of these variables. */
export function newState(
  template: CompiledTemplate,
  variables: ReadonlyMap<string, Operand> = new Map(),
): TemplateState {
  const blocks = new Map(Array.from(template.blocks, ([name, block]) => [name, [block]]));
  return { variables: new Map(variables), blocks, exported: new Set() };
}

/** Runs a template, or the one that it extends, and returns the text. */
export function runTemplate(
  template: CompiledTemplate,
  scope: Pick<Scope, 'page' | 'state' | 'frame'>,
  position: Position,
): string {
  return nested(scope.page.run, position, () => {
    const inner: Scope = { ...scope, output: { text: '' }, inheritance: {} };
    template.body(inner);
    const { parent } = inner.inheritance;
    return parent === undefined ? inner.output.text : runTemplate(parent, scope, position);
  });
}
