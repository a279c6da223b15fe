import { frameIn } from '../frame.ts';
import { compileLoad } from '../load-template.ts';
import type { FromImportNode, ImportNode, Node } from '../node.ts';
import { Module, type Operand } from '../operand.ts';
import { failAt, failParse } from '../place.ts';
import { contextOf, runTemplate } from '../run-template.ts';
import type { Execute, Scope } from '../scope.ts';
import { nameOf, placeOf, type Unit } from '../unit.ts';
import { define } from '../variables.ts';

/** `import "file" as name`. */
export function compileImport(unit: Unit, node: ImportNode): Execute {
  const target = nameOf(unit, node.target, 'what is imported as');
  const load = compileExports(unit, node);
  return (scope) => define(scope, target, new Module(load(scope)));
}

/** `from "file" import a, b as c`. */
export function compileFromImport(unit: Unit, node: FromImportNode): Execute {
  const load = compileExports(unit, node);
  const names = node.names.children.map((child) => importedName(unit, child));
  return (scope) => {
    const exported = load(scope);
    for (const { name, alias, place } of names) {
      const operand = exported.get(name) ?? failAt(place, `the imported template has no ${name} at its top`);
      define(scope, alias, operand);
    }
  };
}

function importedName(unit: Unit, node: Node) {
  const place = placeOf(unit, node);
  if (node.typename === 'Pair') {
    return { name: nameOf(unit, node.key, 'what is imported'), alias: nameOf(unit, node.value, 'an alias'), place };
  }
  if (node.typename !== 'Symbol') return failParse(place, 'what is imported must be a name');
  return { name: node.value, alias: node.value, place };
}

/** Runs the template for what it sets; it sees the variables of this place only `with context`. */
function compileExports(unit: Unit, node: ImportNode | FromImportNode): (scope: Scope) => Map<string, Operand> {
  const load = compileLoad(unit, node.template);
  const withContext = node.withContext === true;
  return (scope) => {
    const { template, place } = load(scope);
    const context = contextOf(template, withContext ? scope.context.variables : undefined);
    const frame = frameIn(withContext ? scope.frame : undefined, { isolated: true, topLevel: true });
    runTemplate(template, { page: scope.page, context, frame }, place);
    const exported = new Map<string, Operand>();
    for (const name of context.exported) {
      const operand = context.variables.get(name);
      if (operand !== undefined) exported.set(name, operand);
    }
    return exported;
  };
}
