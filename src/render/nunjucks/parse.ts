import lexer, { type Tokenizer } from 'nunjucks/src/lexer.js';
import parser from 'nunjucks/src/parser.js';
import type { RootNode } from './node.ts';
import { failParse, type TemplateText } from './position.ts';

/** Reads a text as a Nunjucks template. Throws RenderError with the position where it is none. */
export function parseTemplate(template: TemplateText): RootNode {
  const tokens = lexer.lex(template.lines.join('\n'));
  requireRawEnds(tokens);
  try {
    // node.ts says what the parser makes
    return new parser.Parser(tokens).parseAsRoot() as RootNode;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const { lineno: line = tokens.lineno + 1, colno: column = tokens.colno + 1 } = error as ParserError;
    // where a template ends in the middle of a tag, the parser trips over the token that is not there
    const problem = error instanceof TypeError ? 'unexpected end of template or tag' : error.message;
    return failParse({ template, line: line - 1, column: column - 1 }, problem, error);
  }
}

/**
 * The parser takes the text of `raw` and `verbatim` by a pattern that it looks for from every position of the rest: without an end that takes quadratic time,
 * and then the text is lost.
 */
function requireRawEnds(tokens: Tokenizer): void {
  const extract = tokens._extractRegex.bind(tokens);
  tokens._extractRegex = ({ source }) => {
    const found = extract(new RegExp(source, 'y'));
    if (found === null) throw new Error('the raw text has no end');
    return found;
  };
}

/** The parser's own errors have a position, counted from 1; those of its lexer have none. */
type ParserError = Error & { readonly lineno?: number; readonly colno?: number };
