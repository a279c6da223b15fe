import type { Expression } from '../execute/frame.ts';
import type { CommandNode, PipeNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { type CompileContext, type Compiled, compileFailure, type ErrorNode, withoutNil } from './compile-context.ts';
import { compileConstant, rawType } from './constant.ts';
import { compileChainNode, compileField, compileVariable, findVariable, isConstant } from './operand.ts';

/** Compiles a pipeline. The variables it declares are in scope afterwards. */
export function compilePipeline(context: CompileContext, pipe: PipeNode): Compiled {
  return compileDeclarations(context, pipe, compileCommands(context, pipe), false);
}

/**
 * Compiles the pipeline of a range. Its variables are set to the list or map first, and to each
 * element later.
 */
export function compileRangePipeline(context: CompileContext, pipe: PipeNode): Compiled {
  return compileDeclarations(context, pipe, compileCommands(context, pipe), true);
}

function compileCommands(context: CompileContext, pipe: PipeNode): Compiled {
  const [first, ...others] = pipe.commands;
  if (first === undefined) return compileFailure(context, pipe, 'missing value');
  return others.reduce(
    (previous, command) => compileCommand(context, command, withoutNil(previous), previous.last),
    compileCommand(context, first, undefined, pipe),
  );
}

function compileDeclarations(context: CompileContext, pipe: PipeNode, value: Compiled, ranged: boolean): Compiled {
  if (pipe.declarations.length === 0) return value;
  return pipe.declarations.reduce((previous, { name }) => {
    if (pipe.assigns) return compileAssignment(context, name, previous);
    const slot = context.counter.slots++;
    context.scope.declare(name, { slot, ranged });
    return { ...previous, run: assigning(previous.run, slot) };
  }, withoutNil(value));
}

function compileAssignment(context: CompileContext, name: string, value: Compiled): Compiled {
  const variable = findVariable(context, name);
  if (variable === undefined) return compileFailure(context, value.last, `undefined variable: ${name}`, value);
  const { slot, ranged } = variable;
  const run = assigning(value.run, slot);
  if (!ranged) return { ...value, run };
  return {
    ...value,
    run: (frame) => {
      frame.variableTypes[slot] = '';
      return run(frame);
    },
  };
}

function assigning(run: Expression, slot: number): Expression {
  return (frame) => (frame.variables[slot] = run(frame));
}

/**
 * Compiles one command. `final` is the argument from the pipe, `before` the node evaluated last.
 */
function compileCommand(
  context: CompileContext,
  command: CommandNode,
  final: Compiled | undefined,
  before: ErrorNode,
): Compiled {
  const { first, args } = command;
  const hasArguments = args.length > 0 || final !== undefined;
  const notAFunction = (): string => `can't give argument to non-function ${nodeText(first)}`;
  switch (first.kind) {
    case 'field':
      return compileField(context, first, { args, final });
    case 'chain':
      return compileChainNode(context, first, { args, final });
    case 'identifier':
      return context.compile.call(context, command, first, args, final);
    case 'pipe':
      return hasArguments
        ? compileFailure(context, before, notAFunction(), final)
        : context.compile.pipeline(context, first);
    case 'variable':
      if (first.names.length === 0 && hasArguments) return compileFailure(context, first, notAFunction(), final);
      return compileVariable(context, first, { args, final });
    default:
      if (hasArguments) return compileFailure(context, first, notAFunction(), final);
      if (first.kind === 'nil') return compileFailure(context, first, 'nil is not a command');
      return isConstant(first) ? compileConstant(context, rawType, first) : context.compile.operand(context, first);
  }
}
