import type { Operand } from './operand.ts';

/** The variables of a loop, a macro, a block or a template, with those around it. */
export interface Frame {
  readonly variables: Map<string, Operand>;
  readonly parent: Frame | undefined;
  /** Whether `set` here leaves the variables around it alone. */
  readonly isolated: boolean;
  /** Whether `set` here makes a variable of the template, which macros and imports see. */
  readonly topLevel: boolean;
}

/** A frame inside another, or one that sees none. */
export function frameIn(parent: Frame | undefined, kind: { isolated?: boolean; topLevel?: boolean } = {}): Frame {
  return { variables: new Map(), parent, isolated: kind.isolated ?? false, topLevel: kind.topLevel ?? false };
}

/** What the name stands for, in this frame or one around it. */
export function lookUp(frame: Frame, name: string): Operand | undefined {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    const found = at.variables.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sets a variable where it is; a new one in this frame. */
export function assign(frame: Frame, name: string, operand: Operand): void {
  owner(frame, name).variables.set(name, operand);
}

function owner(frame: Frame, name: string): Frame {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.isolated ? undefined : at.parent) {
    if (at.variables.has(name)) return at;
  }
  return frame;
}
