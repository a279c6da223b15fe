import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A regular expression in the source code. */
export interface SourcePattern {
  /** Path of the file, and the text of the expression: `src/go/host.ts /a+/`. */
  name: string;
  file: string;
  /** Undefined if its text depends on values that only a running program has. */
  pattern: RegExp | undefined;
}

/** Returns all regular expressions in `src/`: literals, and those that `RegExp` makes. */
export function sourcePatterns(): SourcePattern[] {
  return globSync('src/**/*.ts').sort().flatMap(patternsOf);
}

function patternsOf(file: string): SourcePattern[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push({ name: `${file} ${node.text}`, file, pattern: literalPattern(node) });
    } else if (makesPattern(node)) {
      found.push({ name: `${file} ${node.getText()}`, file, pattern: madePattern(node, constants) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the initial values of all constants of a file, by name. */
function constantsOf(source: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    const isConstant = ts.isVariableDeclaration(node) && (node.parent.flags & ts.NodeFlags.Const) !== 0;
    if (isConstant && ts.isIdentifier(node.name) && node.initializer) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}

function makesPattern(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

function literalPattern({ text }: ts.RegularExpressionLiteral): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

function madePattern(
  { arguments: [source, flags] = ts.factory.createNodeArray() }: ts.NewExpression | ts.CallExpression,
  constants: ReadonlyMap<string, ts.Expression>,
): RegExp | undefined {
  const text = source && textOf(source, constants);
  const flagText = flags === undefined ? '' : textOf(flags, constants);
  return text === undefined || flagText === undefined ? undefined : new RegExp(text, flagText);
}

/** Returns the text of an expression of constants, or undefined. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return literalPattern(node).source;
  if (ts.isTemplateExpression(node)) return templateText(node, constants, (part) => part.text);
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') {
    const { template } = node;
    const raw = (part: ts.TemplateLiteralLikeNode) => part.rawText ?? part.text;
    return ts.isTemplateExpression(template) ? templateText(template, constants, raw) : raw(template);
  }
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value && textOf(value, constants);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression, constants);
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) return replacedText(node, constants);
  return undefined;
}

function templateText(
  { head, templateSpans }: ts.TemplateExpression,
  constants: ReadonlyMap<string, ts.Expression>,
  partText: (part: ts.TemplateLiteralLikeNode) => string,
): string | undefined {
  const parts = templateSpans.map(({ expression, literal }) => {
    const value = textOf(expression, constants);
    return value === undefined ? undefined : value + partText(literal);
  });
  return parts.includes(undefined) ? undefined : partText(head) + parts.join('');
}

/** Returns the text of `text.replaceAll(/pattern/g, 'text')`. */
function replacedText(
  { expression, arguments: [pattern, replacement] }: ts.CallExpression,
  constants: ReadonlyMap<string, ts.Expression>,
): string | undefined {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'replaceAll') return undefined;
  const text = textOf(expression.expression, constants);
  if (text === undefined || !pattern || !replacement) return undefined;
  if (!ts.isRegularExpressionLiteral(pattern) || !ts.isStringLiteralLike(replacement)) return undefined;
  return text.replaceAll(literalPattern(pattern), replacement.text);
}
