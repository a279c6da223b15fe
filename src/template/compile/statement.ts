import { LimitError } from '../../go/limit-error.ts';
import { quote } from '../../go/strconv.ts';
import { goTypeOf, truth } from '../../go/types.ts';
import { compileRange } from './range.ts';
import { compilePipeline } from './pipeline.ts';
import { goOn, breakOut, nextIteration, type Flow, type Frame, type Slot, type Statement } from '../execute/frame.ts';
import type { ActionNode, BranchNode, Node, TemplateNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { isPrintable, printed } from '../execute/print.ts';
import { TemplateDepthError, positionOf } from '../template-error.ts';
import { fail, settled, type Unit } from './unit.ts';

/** Compiles nodes that follow each other. Variables that they declare go out of scope at the end. */
export function compileList(unit: Unit, nodes: readonly Node[]): Statement {
  const declared = unit.scope.size;
  const statements = nodes.map((node) => compileNode(unit, node));
  unit.scope.leave(declared);
  return sequence(statements);
}

function sequence(statements: readonly Statement[]): Statement {
  const [first, second, third, more] = statements;
  if (first === undefined) return () => goOn;
  if (second === undefined) return first;
  if (third === undefined) return (frame) => first(frame) || second(frame);
  if (more === undefined) return (frame) => first(frame) || second(frame) || third(frame);
  return (frame) => {
    for (const statement of statements) {
      const flow = statement(frame);
      if (flow !== goOn) return flow;
    }
    return goOn;
  };
}

function compileNode(unit: Unit, node: Node): Statement {
  switch (node.kind) {
    case 'text':
      return writing(node.text);
    case 'action':
      return compileAction(unit, node);
    case 'if':
    case 'with':
    case 'range':
      return compileBranch(unit, node);
    case 'template':
      return compileTemplateCall(unit, node);
    case 'break':
      return () => breakOut;
    case 'continue':
      return () => nextIteration;
  }
}

function writing(text: string): Statement {
  return ({ running }) => {
    running.out += text;
    return goOn;
  };
}

function compileAction(unit: Unit, node: ActionNode): Statement {
  const { run } = compilePipeline(unit, node.pipe);
  if (node.pipe.declarations.length > 0) {
    return (frame) => {
      frame.running.step(unit, node);
      run(frame);
      return goOn;
    };
  }
  return (frame) => {
    frame.running.step(unit, node);
    const value = run(frame);
    frame.running.out += typeof value === 'string' ? value : show(unit, frame, node, value);
    return goOn;
  };
}

function show(unit: Unit, frame: Frame, node: ActionNode, value: Slot): string {
  if (isPrintable(value)) return withinLimit(unit, frame, node, value);
  return fail(unit, frame, node, `can't print ${nodeText(node)} of type ${goTypeOf(value ?? null)}`);
}

function withinLimit(unit: Unit, frame: Frame, node: ActionNode, value: Slot): string {
  try {
    return printed(value);
  } catch (error) {
    if (error instanceof LimitError) return fail(unit, frame, node, error.message, error);
    throw error;
  }
}

/** `if`, `with` and `range`. Variables of the pipeline are in scope up to the end. */
function compileBranch(unit: Unit, node: BranchNode): Statement {
  const declared = unit.scope.size;
  const statement = node.kind === 'range' ? compileRange(unit, node, compileList) : compileCondition(unit, node);
  unit.scope.leave(declared);
  return statement;
}

function isTrue(value: Slot): boolean {
  return typeof value === 'boolean' ? value : value !== undefined && truth(value);
}

function compileCondition(unit: Unit, node: BranchNode): Statement {
  const { run } = compilePipeline(unit, node.pipe);
  const list = compileList(unit, node.list);
  const otherwise: Statement = node.elseList === undefined ? () => goOn : compileList(unit, node.elseList);
  if (node.kind === 'if') {
    return (frame) => {
      frame.running.step(unit, node);
      return isTrue(run(frame)) ? list(frame) : otherwise(frame);
    };
  }
  return (frame) => {
    frame.running.step(unit, node);
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

/** Go's limit, named in its error. */
const goMaxDepth = 100_000;

function compileTemplateCall(unit: Unit, node: TemplateNode): Statement {
  const { name, pipe } = node;
  const argument = pipe === undefined ? () => undefined : settled(compilePipeline(unit, pipe)).run;
  return (frame) => {
    const { running } = frame;
    const template = running.lookup(name);
    if (template === undefined) return fail(unit, frame, node, `template ${quote(name)} not defined`);
    if (running.depth >= running.maxDepth) {
      throw new TemplateDepthError(unit.name, positionOf(unit.source, node.pos), nodeText(node), goMaxDepth);
    }
    const dot = argument(frame);
    running.step(unit, node);
    running.deepest = running.depth;
    running.depth++;
    template.run(running, dot);
    running.depth--;
    return goOn;
  };
}
