import { format } from '../../go/fmt.ts';
import { formatPointee } from '../../go/fmt-value.ts';
import { sortedKeys } from '../../go/text.ts';
import { isList, isMap } from '../../go/types.ts';
import { GoObject, Int, int, NamedMap, Slice, type Value } from '../../go/value.ts';
import { elementType } from '../execute/argument-type.ts';
import {
  breakLoop,
  continueLoop,
  type Flow,
  type Frame,
  proceed,
  type Slot,
  type Statement,
} from '../execute/frame.ts';
import type { BranchNode, Node } from '../parse/node.ts';
import { type CompileContext, type ErrorNode, fail } from './compile-context.ts';
import { findVariable } from './operand.ts';
import { compileRangePipeline } from './pipeline.ts';

/** A compiled range. */
interface Range {
  readonly context: CompileContext;
  readonly node: BranchNode;
  /** Node for errors of the pipeline. */
  readonly errorNode: ErrorNode;
  readonly body: Statement;
  /** Variables for the key and the element; undefined if not declared. */
  readonly keySlot: number | undefined;
  readonly elementSlot: number | undefined;
}

/** Whether there was anything to iterate over. */
type Visit = 'empty' | 'done';

/** Compiles a range. */
export function compileRange(
  context: CompileContext,
  node: BranchNode,
  compileList: (context: CompileContext, nodes: readonly Node[]) => Statement,
): Statement {
  const { run, last } = compileRangePipeline(context, node.pipe);
  const slots = node.pipe.declarations.map(({ name }) => findVariable(context, name)?.slot);
  const body = compileList(context, node.list);
  const otherwise: Statement = node.elseList === undefined ? () => proceed : compileList(context, node.elseList);
  const keySlot = slots.length > 1 ? slots[0] : undefined;
  const range = { context, node, errorNode: last, body, keySlot, elementSlot: slots.at(-1) };
  return (frame) => {
    frame.execution.step(context, node);
    return visit(frame, range, run(frame)) === 'empty' ? otherwise(frame) : proceed;
  };
}

function visit(frame: Frame, range: Range, value: Slot): Visit {
  if (value === undefined || value === null) return 'empty';
  if (isList(value)) return visitList(frame, range, value, value instanceof Slice ? value.element : 'interface {}');
  if (isMap(value))
    return visitMap(frame, range, value, value instanceof NamedMap ? elementType(value) : 'interface {}');
  if (value instanceof Int) return visitInt(frame, range, value);
  if (value instanceof Uint8Array) {
    return visitList(
      frame,
      range,
      Array.from(value, (byte) => new Int('uint8', BigInt(byte))),
      'uint8',
    );
  }
  return value instanceof GoObject ? visitObject(frame, range, value) : cannotIterate(frame, range, value);
}

function visitObject(frame: Frame, range: Range, object: GoObject): Visit {
  const underlying = object.underlying();
  if (underlying instanceof Int) return visitInt(frame, range, underlying);
  const contents = object.contents();
  if (isList(contents)) return visitList(frame, range, contents, elementType(object));
  if (isMap(contents)) return visitMap(frame, range, contents, elementType(object));
  return cannotIterate(frame, range, object);
}

function cannotIterate(frame: Frame, { context, errorNode }: Range, value: Value): never {
  const isPointer = value instanceof GoObject && value.kind === 'ptr';
  const shown = isPointer ? (value.text() ?? formatPointee(value)) : format(value);
  return fail(context, frame, errorNode, `range can't iterate over ${shown}`);
}

function visitList(frame: Frame, range: Range, list: readonly Value[], type: string): Visit {
  const { length } = list;
  if (length === 0) return 'empty';
  const { dot, dotType } = enterLoop(frame, range, type);
  for (let i = 0; i < length; i++) {
    if (range.keySlot !== undefined) frame.variables[range.keySlot] = int(i);
    if (iterate(frame, range, list[i]) === breakLoop) break;
  }
  frame.dot = dot;
  frame.dotType = dotType;
  return 'done';
}

function visitMap(frame: Frame, range: Range, map: ReadonlyMap<string, Value>, type: string): Visit {
  if (map.size === 0) return 'empty';
  const keys = sortedKeys(map);
  const values = keys.map((key) => map.get(key));
  const { dot, dotType } = enterLoop(frame, range, type);
  for (const [i, key] of keys.entries()) {
    if (range.keySlot !== undefined) frame.variables[range.keySlot] = key;
    if (iterate(frame, range, values[i]) === breakLoop) break;
  }
  frame.dot = dot;
  frame.dotType = dotType;
  return 'done';
}

function visitInt(frame: Frame, range: Range, count: Int): Visit {
  if (range.node.pipe.declarations.length > 1) {
    const detail = `can't use ${count.value} to iterate over more than one variable`;
    return fail(range.context, frame, range.errorNode, detail);
  }
  if (count.value <= 0n) return 'empty';
  const { dot, dotType } = enterLoop(frame, range, '');
  for (let i = 0n; i < count.value; i++) {
    if (iterate(frame, range, new Int(count.kind, i)) === breakLoop) break;
  }
  frame.dot = dot;
  frame.dotType = dotType;
  return 'done';
}

/** Records the type of the elements, for errors; returns the values to restore afterwards. */
function enterLoop(frame: Frame, { elementSlot }: Range, type: string): { dot: Slot; dotType: string } {
  const { dot, dotType } = frame;
  frame.dotType = type;
  if (elementSlot !== undefined) frame.variableTypes[elementSlot] = type;
  return { dot, dotType };
}

function iterate(frame: Frame, range: Range, element: Slot): Flow {
  frame.execution.step(range.context, range.node);
  if (range.elementSlot !== undefined) frame.variables[range.elementSlot] = element;
  frame.dot = element;
  const flow = range.body(frame);
  return flow === continueLoop ? proceed : flow;
}
