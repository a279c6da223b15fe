import { compileCall, compileFilter } from './call.ts';
import { compileGroup, compileList, compileMap } from './collection.ts';
import { compileIs } from './is.ts';
import { compileLiteral } from './literal.ts';
import { compileLookup, compileSymbol } from './lookup.ts';
import { compileCaller } from './macro.ts';
import {
  compileArithmetic,
  compileChoice,
  compileCompare,
  compileConcat,
  compileIn,
  compileInlineIf,
  compileNot,
  compileSign,
} from './operator.ts';
import type { CaptureNode, Node } from '../node.ts';
import { failParse } from '../position.ts';
import type { Evaluate } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles an expression. */
export function compileExpression(context: CompileContext, node: Node): Evaluate {
  switch (node.typename) {
    case 'Literal':
      return compileLiteral(context, node);
    case 'Symbol':
      return compileSymbol(node);
    case 'LookupVal':
      return compileLookup(context, node);
    case 'FunCall':
      return compileCall(context, node);
    case 'Filter':
      return compileFilter(context, node);
    case 'Caller':
      return compileCaller(context, node);
    case 'Capture':
      return compileCapture(context, node);
    case 'Group':
      return compileGroup(context, node, node.children);
    case 'Array':
      return compileList(context, node.children);
    case 'Dict':
      return compileMap(context, node.children);
    default:
      return compileOperation(context, node);
  }
}

function compileOperation(context: CompileContext, node: Node): Evaluate {
  switch (node.typename) {
    case 'Is':
      return compileIs(context, node);
    case 'Compare':
      return compileCompare(context, node);
    case 'InlineIf':
      return compileInlineIf(context, node);
    case 'And':
    case 'Or':
      return compileChoice(context, node);
    case 'Not':
      return compileNot(context, node);
    case 'In':
      return compileIn(context, node);
    case 'Concat':
      return compileConcat(context, node);
    case 'Neg':
    case 'Pos':
      return compileSign(context, node);
    case 'Add':
    case 'Sub':
    case 'Mul':
    case 'Div':
    case 'FloorDiv':
    case 'Mod':
    case 'Pow':
      return compileArithmetic(context, node);
    default:
      return failParse(positionOf(context, node), `${node.typename} is not an expression`);
  }
}

/** Compiles the contents of a block such as `filter` to a text. */
function compileCapture(context: CompileContext, node: CaptureNode): Evaluate {
  const body = context.body(node.body.children);
  return (scope) => {
    const output = { text: '' };
    body({ ...scope, output });
    return output.text;
  };
}
