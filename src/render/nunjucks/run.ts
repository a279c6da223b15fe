import type { RenderLimits } from '../limits.ts';
import type { RenderSupervisor } from '../render-supervisor.ts';
import { failAt, type Position } from './position.ts';

/** Resources used by a render. */
export interface Run {
  readonly limits: RenderLimits;
  readonly supervisor: RenderSupervisor | undefined;
  steps: number;
  nesting: number;
}

/**
 * Counts a step: a statement, an iteration or a call. Throws RenderError if the render must end.
 */
export function step(run: Run, position: Position): void {
  run.steps++;
  if (run.steps > run.limits.steps) failLimit(position, `the render takes more than ${run.limits.steps} steps`);
  const reason = run.supervisor?.interruption(false);
  if (reason !== undefined) failLimit(position, `the render ${reason}`);
}

/** Runs `body` one level deeper. Throws RenderError if the nesting is too deep. */
export function nested<T>(run: Run, position: Position, body: () => T): T {
  if (run.nesting >= run.limits.includeDepth) {
    failLimit(position, `macros and includes are nested more than ${run.limits.includeDepth} deep`);
  }
  run.nesting++;
  try {
    return body();
  } catch (error) {
    if (error instanceof RangeError) failLimit(position, 'the template is nested too deeply or writes too much');
    throw error;
  } finally {
    run.nesting--;
  }
}

/** Throws RenderError if a text is longer than the limit. */
export function checkLength(run: Run, length: number, position: Position): void {
  if (length > run.limits.outputBytes)
    failLimit(position, `a text of more than ${run.limits.outputBytes} bytes is over the limit`);
}

export function failLimit(position: Position, problem: string): never {
  return failAt(position, problem, undefined, 'render_limit');
}
