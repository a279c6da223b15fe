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
import { failParse } from '../place.ts';
import type { Evaluate } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';

/** Turns an expression into a function that evaluates it. */
export function compileExpression(unit: Unit, node: Node): Evaluate {
  switch (node.typename) {
    case 'Literal':
      return compileLiteral(unit, node);
    case 'Symbol':
      return compileSymbol(node);
    case 'LookupVal':
      return compileLookup(unit, node);
    case 'FunCall':
      return compileCall(unit, node);
    case 'Filter':
      return compileFilter(unit, node);
    case 'Caller':
      return compileCaller(unit, node);
    case 'Capture':
      return compileCapture(unit, node);
    case 'Group':
      return compileGroup(unit, node, node.children);
    case 'Array':
      return compileList(unit, node.children);
    case 'Dict':
      return compileMap(unit, node.children);
    default:
      return compileOperation(unit, node);
  }
}

function compileOperation(unit: Unit, node: Node): Evaluate {
  switch (node.typename) {
    case 'Is':
      return compileIs(unit, node);
    case 'Compare':
      return compileCompare(unit, node);
    case 'InlineIf':
      return compileInlineIf(unit, node);
    case 'And':
    case 'Or':
      return compileChoice(unit, node);
    case 'Not':
      return compileNot(unit, node);
    case 'In':
      return compileIn(unit, node);
    case 'Concat':
      return compileConcat(unit, node);
    case 'Neg':
    case 'Pos':
      return compileSign(unit, node);
    case 'Add':
    case 'Sub':
    case 'Mul':
    case 'Div':
    case 'FloorDiv':
    case 'Mod':
    case 'Pow':
      return compileArithmetic(unit, node);
    default:
      return failParse(placeOf(unit, node), `${node.typename} is no expression`);
  }
}

/** What a block such as `filter` has between its tags, as a text. */
function compileCapture(unit: Unit, node: CaptureNode): Evaluate {
  const body = unit.body(node.body.children);
  return (scope) => {
    const output = { text: '' };
    body({ ...scope, output });
    return output.text;
  };
}
