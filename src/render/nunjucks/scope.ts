import type { Callable, Operand } from './operand.ts';
import type { Position } from './position.ts';
import type { Run } from './run.ts';

export type Evaluate = (scope: Scope) => Operand;
export type Execute = (scope: Scope) => void;

/** A compiled template. */
export interface CompiledTemplate {
  readonly body: Execute;
  readonly blocks: ReadonlyMap<string, Execute>;
}

/** State shared by one rendered file and all templates that it includes. */
export interface Page {
  readonly run: Run;
  /** Names that need no import: `Values`, `Release` and so on. */
  readonly globals: ReadonlyMap<string, Operand>;
  readonly functions: ReadonlyMap<string, Callable>;
  /** Returns a template of the chart by the name used in a template; undefined if there is none. */
  readonly load: (name: string, position: Position) => CompiledTemplate | undefined;
}

/** Variables and blocks of a running template, shared with the template that it extends. */
export interface TemplateState {
  readonly variables: Map<string, Operand>;
  /** Blocks by name, those of the most derived template first. */
  readonly blocks: Map<string, Execute[]>;
  readonly exported: Set<string>;
}

/** State of a running template at one point. */
export interface Scope {
  readonly page: Page;
  readonly state: TemplateState;
  readonly frame: Frame;
  /** Text written so far. */
  readonly output: { text: string };
  /** The template that this one extends, set when `extends` runs. */
  readonly inheritance: { parent?: CompiledTemplate };
  /** The running block. `level` counts the `super()` calls. */
  readonly block?: { readonly name: string; readonly level: number };
}

/** Variables of a loop, a macro, a block or a template. Also links to the surrounding ones. */
interface Frame {
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
function assign(frame: Frame, name: string, operand: Operand): void {
  owner(frame, name).variables.set(name, operand);
}

function owner(frame: Frame, name: string): Frame {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.isolated ? undefined : at.parent) {
    if (at.variables.has(name)) return at;
  }
  return frame;
}

/** Implements `set`: changes an existing variable, or defines one in this frame. */
export function setVariable(scope: Scope, name: string, operand: Operand): void {
  assign(scope.frame, name, operand);
  share(scope, name, operand);
}

/** Defines a name in this frame, for a macro or an import. */
export function define(scope: Scope, name: string, operand: Operand): void {
  scope.frame.variables.set(name, operand);
  share(scope, name, operand);
}

/**
 * Makes a top-level name visible to macros of the template, and to templates that import it unless
 * it begins with `_`.
 */
function share({ frame, state }: Scope, name: string, operand: Operand): void {
  if (!frame.topLevel) return;
  state.variables.set(name, operand);
  if (!name.startsWith('_')) state.exported.add(name);
}
