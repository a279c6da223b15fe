import { compileIf, compileSwitch } from './condition.ts';
import { compileFor } from './for.ts';
import { compileFromImport, compileImport } from './import.ts';
import { compileInclude } from './include.ts';
import { compileBlock, compileExtends } from './inheritance.ts';
import { compileMacro } from './macro.ts';
import { compileOutput } from './output.ts';
import { compileSet } from './set.ts';
import type { Node } from '../node.ts';
import { failParse } from '../position.ts';
import { step } from '../run.ts';
import type { Execute } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles a list of statements, which run one after the other. */
export function compileBody(context: CompileContext, children: readonly Node[]): Execute {
  const statements = children.map((child) => compileStatement(context, child));
  return (scope) => {
    for (const statement of statements) statement(scope);
  };
}

function compileStatement(context: CompileContext, node: Node): Execute {
  const run = statementOf(context, node);
  if (node.typename === 'NodeList') return run;
  const position = positionOf(context, node);
  return (scope) => {
    step(scope.page.run, position);
    run(scope);
  };
}

function statementOf(context: CompileContext, node: Node): Execute {
  switch (node.typename) {
    case 'Output':
      return compileOutput(context, node);
    case 'If':
      return compileIf(context, node);
    case 'For':
      return compileFor(context, node);
    case 'Set':
      return compileSet(context, node);
    case 'Switch':
      return compileSwitch(context, node);
    case 'Macro':
      return compileMacro(context, node);
    case 'Block':
      return compileBlock(context, node);
    case 'Extends':
      return compileExtends(context, node);
    case 'Include':
      return compileInclude(context, node);
    case 'Import':
      return compileImport(context, node);
    case 'FromImport':
      return compileFromImport(context, node);
    case 'NodeList':
      return compileBody(context, node.children);
    case 'IfAsync':
    case 'AsyncEach':
    case 'AsyncAll':
      return failParse(positionOf(context, node), 'asynchronous tags are not supported: use if and for');
    default:
      return failParse(positionOf(context, node), `${node.typename} is not a statement`);
  }
}
