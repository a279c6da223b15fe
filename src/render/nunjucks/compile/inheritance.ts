import { type CompileContext, nameOf, positionOf } from '../compile-context.ts';
import { compileLoad } from '../load-template.ts';
import type { BlockNode, ExtendsNode } from '../node.ts';
import { failParse } from '../position.ts';
import { nested } from '../run.ts';
import { type Execute, frameIn } from '../scope.ts';

/**
 * Compiles `block`: the text of the most derived template that defines it. In a template that
 * extends another, nothing is written until the parent uses the block.
 */
export function compileBlock(context: CompileContext, node: BlockNode): Execute {
  const position = positionOf(context, node);
  const name = nameOf(context, node.name, 'the name of a block');
  if (context.blocks.has(name)) failParse(position, `there are two blocks ${name}`);
  const body = context.body(node.body.children);
  context.blocks.set(name, body);
  return (scope) => {
    const { inheritance, state, page } = scope;
    if (inheritance.parent !== undefined && scope.block === undefined) return;
    const block = state.blocks.get(name)?.[0] ?? body;
    const frame = frameIn(scope.frame, { isolated: true });
    nested(page.run, position, () => block({ ...scope, frame, block: { name, level: 0 } }));
  };
}

/**
 * Compiles `extends`: the parent runs with the blocks of both templates. Text outside of blocks is
 * dropped.
 */
export function compileExtends(context: CompileContext, node: ExtendsNode): Execute {
  const load = compileLoad(context, node.template);
  return (scope) => {
    const { template } = load(scope);
    scope.inheritance.parent = template;
    for (const [name, block] of template.blocks) {
      const known = scope.state.blocks.get(name);
      if (known) known.push(block);
      else scope.state.blocks.set(name, [block]);
    }
  };
}
