import type { Operand } from './operand.ts';

/** Variables of a loop, a macro, a block or a template. Also links to the surrounding ones. */
export interface Frame {
  readonly variables: Map<string, Operand>;
  readonly parent: Frame | undefined;
  /** Whether `set` cannot change the surrounding variables. */
  readonly isolated: boolean;
  /** Whether `set` defines variables of the template, which macros and imports see. */
  readonly topLevel: boolean;
}

/** Returns a new frame inside `parent`, or one without a parent. */
export function frameIn(parent: Frame | undefined, kind: { isolated?: boolean; topLevel?: boolean } = {}): Frame {
  return { variables: new Map(), parent, isolated: kind.isolated ?? false, topLevel: kind.topLevel ?? false };
}

/** Returns the value of a variable in this frame or a surrounding one. */
export function lookUp(frame: Frame, name: string): Operand | undefined {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    const found = at.variables.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sets a variable in the frame that defines it. Defines it in this frame if there is none. */
export function assign(frame: Frame, name: string, operand: Operand): void {
  owner(frame, name).variables.set(name, operand);
}

function owner(frame: Frame, name: string): Frame {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.isolated ? undefined : at.parent) {
    if (at.variables.has(name)) return at;
  }
  return frame;
}
