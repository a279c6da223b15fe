import { compileExpression } from './expression.ts';
import { compileBody } from './statement.ts';
import { parseTemplate } from '../parse.ts';
import { templateText } from '../position.ts';
import type { CompiledTemplate } from '../scope.ts';
import type { CompileContext } from '../compile-context.ts';

/**
 * Compiles a Nunjucks template to functions. Nunjucks itself generates JavaScript from templates;
 * here a template never becomes JavaScript, so it cannot escape. Throws RenderError if the template
 * cannot be parsed.
 */
export function compileTemplate(path: string, text: string): CompiledTemplate {
  const template = templateText(path, text);
  const context: CompileContext = {
    template,
    blocks: new Map(),
    expression: (node) => compileExpression(context, node),
    body: (nodes) => compileBody(context, nodes),
  };
  const body = context.body(parseTemplate(template).children);
  return { body, blocks: context.blocks };
}
