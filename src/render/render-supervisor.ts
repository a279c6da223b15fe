import type { Interruption } from '../template/execute/execution.ts';

/** Follows the progress of a render and can end it. */
export interface RenderSupervisor {
  /** Called when the engine starts the template with this path. */
  startTemplate(path: string): void;
  /** Returns why the render must end, as words that follow the template's name in the error. */
  readonly interruption: Interruption;
}
