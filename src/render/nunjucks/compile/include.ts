import { frameIn } from '../frame.ts';
import { compileFind, failMissing } from '../load-template.ts';
import type { IncludeNode } from '../node.ts';
import { contextOf, runTemplate } from '../run-template.ts';
import type { Execute } from '../scope.ts';
import type { Unit } from '../unit.ts';
import { write } from '../write.ts';

/** `include`: another template, with the variables of this place; what it sets stays its own. */
export function compileInclude(unit: Unit, node: IncludeNode): Execute {
  const find = compileFind(unit, node.template);
  return (scope) => {
    const { name, template, place } = find(scope);
    if (template === undefined) {
      if (node.ignoreMissing !== true) failMissing(name, place);
      return;
    }
    const context = contextOf(template, scope.context.variables);
    const frame = frameIn(scope.frame, { isolated: true, topLevel: true });
    write(scope, runTemplate(template, { page: scope.page, context, frame }, place), place);
  };
}
