import type { GoError } from '../../go/value.ts';
import type { Expression, Frame, Origin } from '../execute/frame.ts';
import type { FunctionTable } from '../function.ts';
import type { AnyNode, ArgumentNode, CommandNode, ConstantNode, IdentifierNode, PipeNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { positionOf, TemplateExecError } from '../template-error.ts';
import type { VariableScope } from '../parse/variable-scope.ts';

/** A compiled expression. */
export interface Compiled {
  readonly run: Expression;
  /**
   * The operand that Go has looked at last when the expression is evaluated: errors of what comes next are reported there.
   * Undefined where that depends on values; then the frame knows it.
   */
  readonly last: AnyNode | undefined;
  /** Whether it can yield `null`, a nil that is a value. */
  readonly nullable: boolean;
}

/** A variable that is in scope. */
export interface Variable {
  /** Its place among the variables of a frame. */
  readonly slot: number;
  /** Whether a range declares it. */
  readonly ranged: boolean;
}

/** A template while it is compiled. */
export interface Unit extends Origin {
  readonly functions: FunctionTable;
  readonly scope: VariableScope<Variable>;
  /** How many variables there are in all. */
  readonly counter: { slots: number };
  readonly compile: Compilers;
}

/** The parts of the compiler that need each other. */
export interface Compilers {
  readonly pipeline: (unit: Unit, pipe: PipeNode) => Compiled;
  /** An operand as it is, constants excepted. */
  readonly operand: (unit: Unit, node: Exclude<ArgumentNode, ConstantNode>) => Compiled;
  readonly call: (
    unit: Unit,
    node: CommandNode | IdentifierNode,
    name: IdentifierNode,
    args: readonly ArgumentNode[],
    final: Compiled | undefined,
  ) => Compiled;
}

/** Where an error is: the node that was looked at last. */
export type Place = AnyNode | undefined;

/** Ends the execution with an error at a node. */
export function fail(unit: Origin, frame: Frame, place: Place, detail: string, cause?: GoError): never {
  const node = place ?? frame.last;
  const position = positionOf(unit.source, node?.pos ?? 0);
  throw new TemplateExecError(unit.name, position, node === undefined ? '' : nodeText(node), detail, cause);
}

/** An expression that always fails. What comes before it is evaluated first. */
export function failing(unit: Unit, place: Place, detail: string, before?: Compiled): Compiled {
  const run = (frame: Frame): never => {
    before?.run(frame);
    return fail(unit, frame, place, detail);
  };
  return { run, last: place, nullable: false };
}

/** The same expression, with no value instead of a nil: what a pipeline makes of it. */
export function settled(compiled: Compiled): Compiled {
  if (!compiled.nullable) return compiled;
  const { run, last } = compiled;
  return { run: (frame) => run(frame) ?? undefined, last, nullable: false };
}
