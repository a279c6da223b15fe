import lexer, { type Tokenizer } from 'nunjucks/src/lexer.js';
import parser from 'nunjucks/src/parser.js';
import type { CompileContext } from '../compile-context.ts';
import type { RootNode } from '../node.ts';
import { failParse, type TemplateText, templateText } from '../position.ts';
import type { CompiledTemplate } from '../scope.ts';
import { compileExpression } from './expression.ts';
import { compileBody } from './statement.ts';

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

/** Parses a Nunjucks template. Throws RenderError with the position of a syntax error. */
export function parseTemplate(template: TemplateText): RootNode {
  const tokens = lexer.lex(template.lines.join('\n'));
  requireRawEnds(tokens);
  try {
    // node.ts has the types of the parser's result
    return new parser.Parser(tokens).parseAsRoot() as RootNode;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const { lineno: line = tokens.lineno + 1, colno: column = tokens.colno + 1 } = error as ParserError;
    // if a template ends inside a tag, the parser throws a TypeError for the missing token
    const problem = error instanceof TypeError ? 'unexpected end of template or tag' : error.message;
    return failParse({ template, line: line - 1, column: column - 1 }, problem, error);
  }
}

/**
 * Makes an unclosed `raw` or `verbatim` an error. The parser searches for its end with an
 * unanchored pattern, which takes quadratic time if there is no end, and then loses the text.
 */
function requireRawEnds(tokens: Tokenizer): void {
  const extract = tokens._extractRegex.bind(tokens);
  tokens._extractRegex = ({ source }) => {
    const found = extract(new RegExp(source, 'y'));
    if (found === null) throw new Error('the raw block is not closed');
    return found;
  };
}

/** Errors of the parser have a position, counted from 1; those of its lexer do not. */
type ParserError = Error & { readonly lineno?: number; readonly colno?: number };
