import { compileChainNode, compileField, compileVariable, findVariable, isConstant } from './operand.ts';
import { compileConstant, rawType } from './constant.ts';
import type { Expression } from '../execute/frame.ts';
import type { CommandNode, PipeNode } from '../parse/node.ts';
import { nodeText } from '../parse/node-text.ts';
import { failing, settled, type Compiled, type Place, type Unit } from './unit.ts';

/** Compiles a pipeline. Variables that it declares are in scope afterwards. */
export function compilePipeline(unit: Unit, pipe: PipeNode): Compiled {
  return compileDeclarations(unit, pipe, compileCommands(unit, pipe), false);
}

/** Compiles the pipeline of a range: its variables get the list or map first, each element later. */
export function compileRangePipeline(unit: Unit, pipe: PipeNode): Compiled {
  return compileDeclarations(unit, pipe, compileCommands(unit, pipe), true);
}

function compileCommands(unit: Unit, pipe: PipeNode): Compiled {
  const [first, ...others] = pipe.commands;
  if (first === undefined) return failing(unit, pipe, 'missing value');
  return others.reduce(
    (previous, command) => compileCommand(unit, command, settled(previous), previous.last),
    compileCommand(unit, first, undefined, pipe),
  );
}

function compileDeclarations(unit: Unit, pipe: PipeNode, value: Compiled, ranged: boolean): Compiled {
  if (pipe.declarations.length === 0) return value;
  return pipe.declarations.reduce((previous, { name }) => {
    if (pipe.assigns) return compileAssignment(unit, name, previous);
    const slot = unit.counter.slots++;
    unit.scope.declare(name, { slot, ranged });
    return { ...previous, run: storing(previous.run, slot) };
  }, settled(value));
}

function compileAssignment(unit: Unit, name: string, value: Compiled): Compiled {
  const variable = findVariable(unit, name);
  if (variable === undefined) return failing(unit, value.last, `undefined variable: ${name}`, value);
  const { slot, ranged } = variable;
  const run = storing(value.run, slot);
  if (!ranged) return { ...value, run };
  return {
    ...value,
    run: (frame) => {
      frame.variableTypes[slot] = '';
      return run(frame);
    },
  };
}

function storing(run: Expression, slot: number): Expression {
  return (frame) => (frame.variables[slot] = run(frame));
}

/** Compiles one command. `final` is what comes through the pipe, `before` what was evaluated last. */
function compileCommand(unit: Unit, command: CommandNode, final: Compiled | undefined, before: Place): Compiled {
  const { first, args } = command;
  const takesNone = args.length > 0 || final !== undefined;
  const notAFunction = (): string => `can't give argument to non-function ${nodeText(first)}`;
  switch (first.kind) {
    case 'field':
      return compileField(unit, first, { args, final });
    case 'chain':
      return compileChainNode(unit, first, { args, final });
    case 'identifier':
      return unit.compile.call(unit, command, first, args, final);
    case 'pipe':
      return takesNone ? failing(unit, before, notAFunction(), final) : unit.compile.pipeline(unit, first);
    case 'variable':
      if (first.names.length === 0 && takesNone) return failing(unit, first, notAFunction(), final);
      return compileVariable(unit, first, { args, final });
    default:
      if (takesNone) return failing(unit, first, notAFunction(), final);
      if (first.kind === 'nil') return failing(unit, first, 'nil is not a command');
      return isConstant(first) ? compileConstant(unit, rawType, first) : unit.compile.operand(unit, first);
  }
}
