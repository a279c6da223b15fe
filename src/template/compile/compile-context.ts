import type { GoError } from '../../go/value.ts';
import type { Expression, Frame, Origin } from '../execute/frame.ts';
import type { FunctionTable } from '../function.ts';
import type { AnyNode, ArgumentNode, CommandNode, ConstantNode, IdentifierNode, PipeNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import type { VariableScope } from '../parse/variable-scope.ts';
import { TemplateExecError } from '../template-error.ts';
import { positionOf } from '../template-file.ts';

/** A compiled expression. */
export interface Compiled {
  readonly run: Expression;
  /**
   * The operand that Go evaluates last, at which errors of the next step are reported. Undefined if
   * it depends on values; `frame.last` has it then.
   */
  readonly last: AnyNode | undefined;
  /** Whether it can return `null`, a nil that is a value. */
  readonly nullable: boolean;
}

/** A variable in scope. */
export interface Variable {
  /** Index among the variables of a frame. */
  readonly slot: number;
  /** Whether it is declared by a range. */
  readonly ranged: boolean;
}

/** A template being compiled. */
export interface CompileContext extends Origin {
  readonly functions: FunctionTable;
  readonly scope: VariableScope<Variable>;
  /** Number of variables in all scopes. */
  readonly counter: { slots: number };
  readonly compile: Compilers;
}

/** Parts of the compiler that depend on each other. */
export interface Compilers {
  readonly pipeline: (context: CompileContext, pipe: PipeNode) => Compiled;
  /** Compiles an operand without conversion, except for constants. */
  readonly operand: (context: CompileContext, node: Exclude<ArgumentNode, ConstantNode>) => Compiled;
  readonly call: (
    context: CompileContext,
    node: CommandNode | IdentifierNode,
    name: IdentifierNode,
    args: readonly ArgumentNode[],
    final: Compiled | undefined,
  ) => Compiled;
}

/** Node at which an error is reported; the node evaluated last if undefined. */
export type ErrorNode = AnyNode | undefined;

/** Ends the execution with an error at a node. */
export function fail(context: Origin, frame: Frame, errorNode: ErrorNode, detail: string, cause?: GoError): never {
  const node = errorNode ?? frame.last;
  const position = positionOf(context.file, node?.pos ?? 0);
  throw new TemplateExecError(context.name, position, node === undefined ? '' : nodeText(node), detail, cause);
}

/** Compiles an expression that always fails, after evaluating `before`. */
export function compileFailure(
  context: CompileContext,
  errorNode: ErrorNode,
  detail: string,
  before?: Compiled,
): Compiled {
  const run = (frame: Frame): never => {
    before?.run(frame);
    return fail(context, frame, errorNode, detail);
  };
  return { run, last: errorNode, nullable: false };
}

/** Converts nil results to no value, as a pipeline does. */
export function withoutNil(compiled: Compiled): Compiled {
  if (!compiled.nullable) return compiled;
  const { run, last } = compiled;
  return { run: (frame) => run(frame) ?? undefined, last, nullable: false };
}
