import { frameIn } from '../frame.ts';
import { compileFind, failMissing } from '../load-template.ts';
import type { IncludeNode } from '../node.ts';
import { newState, runTemplate } from '../run-template.ts';
import type { Execute } from '../scope.ts';
import type { CompileContext } from '../compile-context.ts';
import { write } from '../write.ts';

/**
 * Compiles `include`. The included template sees the current variables, but what it sets is not
 * visible outside.
 */
export function compileInclude(context: CompileContext, node: IncludeNode): Execute {
  const find = compileFind(context, node.template);
  return (scope) => {
    const { name, template, position } = find(scope);
    if (template === undefined) {
      if (node.ignoreMissing !== true) failMissing(name, position);
      return;
    }
    const state = newState(template, scope.state.variables);
    const frame = frameIn(scope.frame, { isolated: true, topLevel: true });
    write(scope, runTemplate(template, { page: scope.page, state, frame }, position), position);
  };
}
