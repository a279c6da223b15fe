import { type CompileContext, positionOf } from './compile-context.ts';
import type { Node } from './node.ts';
import { kindText, type Operand, valueOf } from './operand.ts';
import { failAt, type Position } from './position.ts';
import { nested } from './run.ts';
import type { CompiledTemplate, Scope, TemplateState } from './scope.ts';

/** Returns the template that a tag names, and the position of the name. */
export type Load = (scope: Scope) => { template: CompiledTemplate; position: Position };

/**
 * Compiles the name in a tag such as `import`. Running it throws if the chart lacks the template.
 */
export function compileLoad(context: CompileContext, node: Node): Load {
  const find = compileFind(context, node);
  return (scope) => {
    const { name, template, position } = find(scope);
    return template === undefined ? failMissing(name, position) : { template, position };
  };
}

/** Like {@link compileLoad}, but the template is undefined if the chart does not have it. */
export function compileFind(
  context: CompileContext,
  node: Node,
): (scope: Scope) => { name: string; template: CompiledTemplate | undefined; position: Position } {
  const position = positionOf(context, node);
  const expression = context.expression(node);
  return (scope) => {
    const name = valueOf(expression(scope), position);
    if (typeof name !== 'string')
      return failAt(position, `the name of a template must be a text, not ${kindText(name)}`);
    return { name, template: scope.page.load(name, position), position };
  };
}

export function failMissing(name: string, position: Position): never {
  return failAt(position, `the chart has no template ${name}`);
}

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
