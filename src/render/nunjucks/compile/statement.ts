import { areEqual } from '../comparison.ts';
import { type CompileContext, nameOf, positionOf } from '../compile-context.ts';
import { compileFind, failMissing, newState, runTemplate } from '../load-template.ts';
import type { IfNode, IncludeNode, Node, OutputNode, SetNode, SwitchNode } from '../node.ts';
import { isTrue, textOf, valueOf } from '../operand.ts';
import { failParse, type Position } from '../position.ts';
import { checkLength, step } from '../run.ts';
import { type Execute, frameIn, type Scope, setVariable } from '../scope.ts';
import { compileFor } from './for.ts';
import { compileFromImport, compileImport } from './import.ts';
import { compileBlock, compileExtends } from './inheritance.ts';
import { compileMacro } from './macro.ts';

/** Compiles a list of statements, which run one after the other. */
export function compileBody(context: CompileContext, children: readonly Node[]): Execute {
  const statements = children.map((child) => compileStatement(context, child));
  return (scope) => {
    for (const statement of statements) statement(scope);
  };
}

function compileStatement(context: CompileContext, node: Node): Execute {
  const run = statementOf(context, node);
  if (node.typename === 'NodeList') return run;
  const position = positionOf(context, node);
  return (scope) => {
    step(scope.page.run, position);
    run(scope);
  };
}

function statementOf(context: CompileContext, node: Node): Execute {
  switch (node.typename) {
    case 'Output':
      return compileOutput(context, node);
    case 'If':
      return compileIf(context, node);
    case 'For':
      return compileFor(context, node);
    case 'Set':
      return compileSet(context, node);
    case 'Switch':
      return compileSwitch(context, node);
    case 'Macro':
      return compileMacro(context, node);
    case 'Block':
      return compileBlock(context, node);
    case 'Extends':
      return compileExtends(context, node);
    case 'Include':
      return compileInclude(context, node);
    case 'Import':
      return compileImport(context, node);
    case 'FromImport':
      return compileFromImport(context, node);
    case 'NodeList':
      return compileBody(context, node.children);
    case 'IfAsync':
    case 'AsyncEach':
    case 'AsyncAll':
      return failParse(positionOf(context, node), 'asynchronous tags are not supported: use if and for');
    default:
      return failParse(positionOf(context, node), `${node.typename} is not a statement`);
  }
}

/** Compiles `if`, `elif` and `else`. */
function compileIf(context: CompileContext, node: IfNode): Execute {
  const condition = context.expression(node.cond);
  const body = context.body([node.body]);
  const otherwise = context.body(node.else_ ? [node.else_] : []);
  return (scope) => (isTrue(condition(scope)) ? body(scope) : otherwise(scope));
}

/** Compiles `switch`: the first equal case. A case without a body falls through to the next. */
function compileSwitch(context: CompileContext, node: SwitchNode): Execute {
  const position = positionOf(context, node.expr);
  const subject = context.expression(node.expr);
  const cases = node.cases.map(({ cond, body }) => ({
    condition: context.expression(cond),
    at: positionOf(context, cond),
    body: body.children.length > 0 ? context.body(body.children) : undefined,
  }));
  const otherwise = context.body(node.default?.children ?? []);
  return (scope) => {
    const value = valueOf(subject(scope), position);
    const first = cases.findIndex(({ condition, at }) => areEqual(value, valueOf(condition(scope), at)));
    const chosen = first < 0 ? undefined : cases.slice(first).find(({ body }) => body !== undefined);
    (chosen?.body ?? otherwise)(scope);
  };
}

/**
 * Compiles `include`. The included template sees the current variables, but what it sets is not
 * visible outside.
 */
function compileInclude(context: CompileContext, node: IncludeNode): Execute {
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

/** Compiles text of the template, or an expression in double braces. */
function compileOutput(context: CompileContext, node: OutputNode): Execute {
  const parts = node.children.map((child) => compilePart(context, child));
  return (scope) => {
    for (const part of parts) part(scope);
  };
}

function compilePart(context: CompileContext, node: Node): Execute {
  const position = positionOf(context, node);
  if (node.typename === 'TemplateData') return (scope) => write(scope, node.value, position);
  const expression = context.expression(node);
  return (scope) => write(scope, textOf(expression(scope), position), position);
}

/** Compiles `set name = value`, and `set` with a block. */
function compileSet(context: CompileContext, node: SetNode): Execute {
  const names = node.targets.map((target) => nameOf(context, target, 'what is set'));
  const content = node.value ?? node.body;
  const evaluate = content ? context.expression(content) : () => null;
  return (scope) => {
    const operand = evaluate(scope);
    for (const name of names) setVariable(scope, name, operand);
  };
}

/** Appends a text to the output. Throws RenderError if the output becomes too long. */
function write({ output, page }: Scope, text: string, position: Position): void {
  checkLength(page.run, output.text.length + text.length, position);
  output.text += text;
}
