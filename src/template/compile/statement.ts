import { LimitError } from '../../go/limit-error.ts';
import { quote } from '../../go/strconv.ts';
import { goTypeOf, truth } from '../../go/types.ts';
import {
  breakLoop,
  continueLoop,
  type Flow,
  type Frame,
  proceed,
  type Slot,
  type Statement,
} from '../execute/frame.ts';
import { isPrintable, printed } from '../execute/print.ts';
import type { ActionNode, BranchNode, Node, TemplateNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { TemplateDepthError } from '../template-error.ts';
import { positionOf } from '../template-file.ts';
import { type CompileContext, fail, withoutNil } from './compile-context.ts';
import { compilePipeline } from './pipeline.ts';
import { compileRange } from './range.ts';

/** Compiles a list of nodes. Variables that they declare go out of scope at the end. */
export function compileList(context: CompileContext, nodes: readonly Node[]): Statement {
  const declared = context.scope.size;
  const statements = nodes.map((node) => compileNode(context, node));
  context.scope.leave(declared);
  return sequence(statements);
}

function sequence(statements: readonly Statement[]): Statement {
  const [first, second, third, more] = statements;
  if (first === undefined) return () => proceed;
  if (second === undefined) return first;
  if (third === undefined) return (frame) => first(frame) || second(frame);
  if (more === undefined) return (frame) => first(frame) || second(frame) || third(frame);
  return (frame) => {
    for (const statement of statements) {
      const flow = statement(frame);
      if (flow !== proceed) return flow;
    }
    return proceed;
  };
}

function compileNode(context: CompileContext, node: Node): Statement {
  switch (node.kind) {
    case 'text':
      return writing(node.text);
    case 'action':
      return compileAction(context, node);
    case 'if':
    case 'with':
    case 'range':
      return compileBranch(context, node);
    case 'template':
      return compileTemplateCall(context, node);
    case 'break':
      return () => breakLoop;
    case 'continue':
      return () => continueLoop;
  }
}

function writing(text: string): Statement {
  return ({ execution }) => {
    execution.out += text;
    return proceed;
  };
}

function compileAction(context: CompileContext, node: ActionNode): Statement {
  const { run } = compilePipeline(context, node.pipe);
  if (node.pipe.declarations.length > 0) {
    return (frame) => {
      frame.execution.step(context, node);
      run(frame);
      return proceed;
    };
  }
  return (frame) => {
    frame.execution.step(context, node);
    const value = run(frame);
    frame.execution.out += typeof value === 'string' ? value : show(context, frame, node, value);
    return proceed;
  };
}

function show(context: CompileContext, frame: Frame, node: ActionNode, value: Slot): string {
  if (isPrintable(value)) return withinLimit(context, frame, node, value);
  return fail(context, frame, node, `can't print ${nodeText(node)} of type ${goTypeOf(value ?? null)}`);
}

function withinLimit(context: CompileContext, frame: Frame, node: ActionNode, value: Slot): string {
  try {
    return printed(value);
  } catch (error) {
    if (error instanceof LimitError) return fail(context, frame, node, error.message, error);
    throw error;
  }
}

/** Compiles `if`, `with` and `range`. Variables of the pipeline are in scope up to the end. */
function compileBranch(context: CompileContext, node: BranchNode): Statement {
  const declared = context.scope.size;
  const statement = node.kind === 'range' ? compileRange(context, node, compileList) : compileCondition(context, node);
  context.scope.leave(declared);
  return statement;
}

function isTrue(value: Slot): boolean {
  return typeof value === 'boolean' ? value : value !== undefined && truth(value);
}

function compileCondition(context: CompileContext, node: BranchNode): Statement {
  const { run } = compilePipeline(context, node.pipe);
  const list = compileList(context, node.list);
  const otherwise: Statement = node.elseList === undefined ? () => proceed : compileList(context, node.elseList);
  if (node.kind === 'if') {
    return (frame) => {
      frame.execution.step(context, node);
      return isTrue(run(frame)) ? list(frame) : otherwise(frame);
    };
  }
  return (frame) => {
    frame.execution.step(context, node);
    const value = run(frame);
    return isTrue(value) ? withDot(frame, value, list) : otherwise(frame);
  };
}

function withDot(frame: Frame, dot: Slot, list: Statement): Flow {
  const { dot: outer, dotType } = frame;
  frame.dot = dot;
  frame.dotType = '';
  const flow = list(frame);
  frame.dot = outer;
  frame.dotType = dotType;
  return flow;
}

/** Go's limit, as named in its error. */
const goMaxDepth = 100_000;

function compileTemplateCall(context: CompileContext, node: TemplateNode): Statement {
  const { name, pipe } = node;
  const argument = pipe === undefined ? () => undefined : withoutNil(compilePipeline(context, pipe)).run;
  return (frame) => {
    const { execution } = frame;
    const template = execution.lookup(name);
    if (template === undefined) return fail(context, frame, node, `template ${quote(name)} not defined`);
    if (execution.depth >= execution.maxDepth) {
      throw new TemplateDepthError(context.name, positionOf(context.file, node.pos), nodeText(node), goMaxDepth);
    }
    const dot = argument(frame);
    execution.step(context, node);
    execution.lastCallDepth = execution.depth;
    execution.depth++;
    template.run(execution, dot);
    execution.depth--;
    return proceed;
  };
}
