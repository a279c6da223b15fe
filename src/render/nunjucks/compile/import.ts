import { type CompileContext, nameOf, positionOf } from '../compile-context.ts';
import { compileLoad, newState, runTemplate } from '../load-template.ts';
import type { FromImportNode, ImportNode, Node } from '../node.ts';
import { Module, type Operand } from '../operand.ts';
import { failAt, failParse } from '../position.ts';
import { define, type Execute, frameIn, type Scope } from '../scope.ts';

/** Compiles `import "file" as name`. */
export function compileImport(context: CompileContext, node: ImportNode): Execute {
  const target = nameOf(context, node.target, 'what is imported as');
  const load = compileExports(context, node);
  return (scope) => define(scope, target, new Module(load(scope)));
}

/** Compiles `from "file" import a, b as c`. */
export function compileFromImport(context: CompileContext, node: FromImportNode): Execute {
  const load = compileExports(context, node);
  const names = node.names.children.map((child) => importedName(context, child));
  return (scope) => {
    const exported = load(scope);
    for (const { name, alias, position } of names) {
      const operand = exported.get(name) ?? failAt(position, `the imported template has no ${name} at its top`);
      define(scope, alias, operand);
    }
  };
}

function importedName(context: CompileContext, node: Node) {
  const position = positionOf(context, node);
  if (node.typename === 'Pair') {
    return {
      name: nameOf(context, node.key, 'what is imported'),
      alias: nameOf(context, node.value, 'an alias'),
      position,
    };
  }
  if (node.typename !== 'Symbol') return failParse(position, 'what is imported must be a name');
  return { name: node.value, alias: node.value, position };
}

/**
 * Runs the imported template and returns what it sets. The template sees the variables of the
 * importing one only `with context`.
 */
function compileExports(
  context: CompileContext,
  node: ImportNode | FromImportNode,
): (scope: Scope) => Map<string, Operand> {
  const load = compileLoad(context, node.template);
  const withContext = node.withContext === true;
  return (scope) => {
    const { template, position } = load(scope);
    const state = newState(template, withContext ? scope.state.variables : undefined);
    const frame = frameIn(withContext ? scope.frame : undefined, { isolated: true, topLevel: true });
    runTemplate(template, { page: scope.page, state, frame }, position);
    const exported = new Map<string, Operand>();
    for (const name of state.exported) {
      const operand = state.variables.get(name);
      if (operand !== undefined) exported.set(name, operand);
    }
    return exported;
  };
}
