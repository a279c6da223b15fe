import type { Frame } from './frame.ts';
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
