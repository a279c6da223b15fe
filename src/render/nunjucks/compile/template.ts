import { compileExpression } from './expression.ts';
import { compileBody } from './statement.ts';
import { parseTemplate } from '../parse.ts';
import { sourceOf } from '../place.ts';
import type { CompiledTemplate } from '../scope.ts';
import type { Unit } from '../unit.ts';

/**
 * Compiles a Nunjucks template to functions. Nunjucks itself would write JavaScript; here nothing of a template is ever JavaScript, so there is
 * nothing to break out of. Throws RenderError where the text is no template.
 */
export function compileTemplate(path: string, text: string): CompiledTemplate {
  const source = sourceOf(path, text);
  const unit: Unit = {
    source,
    blocks: new Map(),
    expression: (node) => compileExpression(unit, node),
    body: (nodes) => compileBody(unit, nodes),
  };
  const body = unit.body(parseTemplate(source).children);
  return { source, body, blocks: unit.blocks };
}
