import { compileIf, compileSwitch } from './condition.ts';
import { compileFor } from './for.ts';
import { compileFromImport, compileImport } from './import.ts';
import { compileInclude } from './include.ts';
import { compileBlock, compileExtends } from './inheritance.ts';
import { compileMacro } from './macro.ts';
import { compileOutput } from './output.ts';
import { compileSet } from './set.ts';
import type { Node } from '../node.ts';
import { failParse } from '../place.ts';
import { step } from '../run.ts';
import type { Execute } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';

/** Turns a list of statements into a function that runs them one after the other. */
export function compileBody(unit: Unit, children: readonly Node[]): Execute {
  const statements = children.map((child) => compileStatement(unit, child));
  return (scope) => {
    for (const statement of statements) statement(scope);
  };
}

function compileStatement(unit: Unit, node: Node): Execute {
  const run = statementOf(unit, node);
  if (node.typename === 'NodeList') return run;
  const place = placeOf(unit, node);
  return (scope) => {
    step(scope.page.run, place);
    run(scope);
  };
}

function statementOf(unit: Unit, node: Node): Execute {
  switch (node.typename) {
    case 'Output':
      return compileOutput(unit, node);
    case 'If':
      return compileIf(unit, node);
    case 'For':
      return compileFor(unit, node);
    case 'Set':
      return compileSet(unit, node);
    case 'Switch':
      return compileSwitch(unit, node);
    case 'Macro':
      return compileMacro(unit, node);
    case 'Block':
      return compileBlock(unit, node);
    case 'Extends':
      return compileExtends(unit, node);
    case 'Include':
      return compileInclude(unit, node);
    case 'Import':
      return compileImport(unit, node);
    case 'FromImport':
      return compileFromImport(unit, node);
    case 'NodeList':
      return compileBody(unit, node.children);
    case 'IfAsync':
    case 'AsyncEach':
    case 'AsyncAll':
      return failParse(placeOf(unit, node), 'nothing is asynchronous here: use if and for');
    default:
      return failParse(placeOf(unit, node), `${node.typename} is no statement`);
  }
}
