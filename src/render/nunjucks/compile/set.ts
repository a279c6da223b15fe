import type { SetNode } from '../node.ts';
import type { Execute } from '../scope.ts';
import { nameOf, type CompileContext } from '../compile-context.ts';
import { setVariable } from '../variables.ts';

/** Compiles `set name = value`, and `set` with a block. */
export function compileSet(context: CompileContext, node: SetNode): Execute {
  const names = node.targets.map((target) => nameOf(context, target, 'what is set'));
  const content = node.value ?? node.body;
  const evaluate = content ? context.expression(content) : () => null;
  return (scope) => {
    const operand = evaluate(scope);
    for (const name of names) setVariable(scope, name, operand);
  };
}
