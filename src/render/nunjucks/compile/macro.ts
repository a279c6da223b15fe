import { type CompileContext, nameOf, positionOf, splitArguments } from '../compile-context.ts';
import type { CallerNode, MacroNode, Node } from '../node.ts';
import { type Call, Callable, type Operand, Undefined } from '../operand.ts';
import { failAt, failParse } from '../position.ts';
import { nested } from '../run.ts';
import { define, type Evaluate, type Execute, frameIn, type Scope } from '../scope.ts';

interface Parameter {
  readonly name: string;
  /** Undefined if the parameter has no default. */
  readonly fallback: Evaluate | undefined;
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

/**
 * Compiles `macro`: a function that returns what its body writes. It sees the variables of its
 * template, not those of its caller.
 */
export function compileMacro(context: CompileContext, node: MacroNode): Execute {
  const name = nameOf(context, node.name, 'the name of a macro');
  const make = compileCallable(context, node, name);
  return (scope) => {
    const { page, state } = scope;
    const outside = { page, state, output: { text: '' }, inheritance: {}, frame: frameIn(undefined) };
    define(scope, name, make(outside));
  };
}

/** Compiles the body of a `call` block: a macro that sees the surrounding variables. */
export function compileCaller(context: CompileContext, node: CallerNode): Evaluate {
  return compileCallable(context, node, 'caller');
}

/**
 * Returns a function that creates the macro.
 * The macro sees the scope `around` and its parameters.
 */
function compileCallable(
  context: CompileContext,
  node: MacroNode | CallerNode,
  name: string,
): (around: Scope) => Callable {
  const signature = { name, parameters: parametersOf(context, node) };
  const body = context.body(node.body.children);
  return (around) =>
    new Callable(name, (call) =>
      nested(around.page.run, call.position, () => {
        const output = { text: '' };
        const inner = { ...around, output, frame: frameIn(around.frame, { isolated: true }) };
        bind(signature, call, inner);
        body(inner);
        return output.text;
      }),
    );
}

function parametersOf(context: CompileContext, node: MacroNode | CallerNode): Parameter[] {
  const { positional, named } = splitArguments(context, node.args.children);
  const required = positional.map((arg: Node) => ({ name: nameOf(context, arg, 'a parameter'), fallback: undefined }));
  const optional = named.map(([name, fallback]) => ({ name, fallback: context.expression(fallback) }));
  const parameters = [...required, ...optional];
  const names = parameters.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  return twice === undefined ? parameters : failParse(positionOf(context, node), `two parameters are named ${twice}`);
}

/** Sets the parameters by position, by name, or to their defaults. */
function bind({ name, parameters }: Signature, { args, named, position }: Call, scope: Scope): void {
  const { variables } = scope.frame;
  if (args.length > parameters.length) {
    failAt(position, `${name} takes at most ${parameters.length} arguments, not ${args.length}`);
  }
  for (const [key, operand] of named) {
    const index = parameters.findIndex((parameter) => parameter.name === key);
    if (index < 0 && key !== 'caller') failAt(position, `${name} has no parameter ${key}`);
    if (index >= 0 && index < args.length) failAt(position, `${name} receives ${key} twice`);
    variables.set(key, operand);
  }
  parameters.forEach((parameter, i) => {
    const given = i < args.length ? args[i] : variables.get(parameter.name);
    variables.set(parameter.name, given === undefined ? fallbackOf(parameter, scope) : given);
  });
}

function fallbackOf({ name, fallback }: Parameter, scope: Scope): Operand {
  return fallback === undefined ? new Undefined(name) : fallback(scope);
}
