import { frameIn } from '../frame.ts';
import { compileLoad } from '../load-template.ts';
import type { BlockNode, ExtendsNode } from '../node.ts';
import { failParse } from '../place.ts';
import { nested } from '../run.ts';
import type { Execute } from '../scope.ts';
import { nameOf, placeOf, type Unit } from '../unit.ts';

/** `block`: the text of the most derived template that has it. In a template that extends another it waits for that one to ask. */
export function compileBlock(unit: Unit, node: BlockNode): Execute {
  const place = placeOf(unit, node);
  const name = nameOf(unit, node.name, 'the name of a block');
  if (unit.blocks.has(name)) failParse(place, `there are two blocks ${name}`);
  const body = unit.body(node.body.children);
  unit.blocks.set(name, body);
  return (scope) => {
    const { inheritance, context, page } = scope;
    if (inheritance.parent !== undefined && scope.block === undefined) return;
    const block = context.blocks.get(name)?.[0] ?? body;
    const frame = frameIn(scope.frame, { isolated: true });
    nested(page.run, place, () => block({ ...scope, frame, block: { name, level: 0 } }));
  };
}

/** `extends`: what this template writes outside of blocks is dropped, and the other one runs with the blocks of both. */
export function compileExtends(unit: Unit, node: ExtendsNode): Execute {
  const load = compileLoad(unit, node.template);
  return (scope) => {
    const { template } = load(scope);
    scope.inheritance.parent = template;
    for (const [name, block] of template.blocks) {
      const known = scope.context.blocks.get(name);
      if (known) known.push(block);
      else scope.context.blocks.set(name, [block]);
    }
  };
}
