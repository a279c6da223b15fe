import type { Frame } from './frame.ts';
import type { Callable, Operand } from './operand.ts';
import type { Position } from './position.ts';
import type { Run } from './run.ts';

export type Evaluate = (scope: Scope) => Operand;
export type Execute = (scope: Scope) => void;

/** A template, ready to run. */
export interface CompiledTemplate {
  readonly body: Execute;
  readonly blocks: ReadonlyMap<string, Execute>;
}

/** What belongs to one file that is rendered, and to all that it includes. */
export interface Page {
  readonly run: Run;
  /** The chart's values, release and so on, and the functions: what no template needs to import. */
  readonly globals: ReadonlyMap<string, Operand>;
  readonly functions: ReadonlyMap<string, Callable>;
  /** A template of the chart by the name that a template uses; undefined where there is none. */
  readonly load: (name: string, position: Position) => CompiledTemplate | undefined;
}

/** The variables and blocks of a template that runs; a template that it extends shares them. */
export interface TemplateState {
  readonly variables: Map<string, Operand>;
  /** By name: the block of the most derived template first. */
  readonly blocks: Map<string, Execute[]>;
  readonly exported: Set<string>;
}

/** Where a template is. */
export interface Scope {
  readonly page: Page;
  readonly state: TemplateState;
  readonly frame: Frame;
  /** What was written so far. */
  readonly output: { text: string };
  /** The template that this one extends, as soon as it says so. */
  readonly inheritance: { parent?: CompiledTemplate };
  /** The block that runs; `level` counts the `super()` calls that led here. */
  readonly block?: { readonly name: string; readonly level: number };
}
