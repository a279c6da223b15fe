import type { RenderLimits } from '../limits.ts';
import type { Watch } from '../watch.ts';
import { failAt, type Place } from './place.ts';

/** What a render has used up. */
export interface Run {
  readonly limits: RenderLimits;
  readonly watch: Watch | undefined;
  steps: number;
  nesting: number;
}

/** Counts a step: a statement, a turn of a loop, a call. */
export function step(run: Run, place: Place): void {
  run.steps++;
  if (run.steps > run.limits.steps) failLimit(place, `the render takes more than ${run.limits.steps} steps`);
  const reason = run.watch?.interruption(false);
  if (reason !== undefined) failLimit(place, `the render ${reason}`);
}

/** Runs something that may contain itself. */
export function nested<T>(run: Run, place: Place, body: () => T): T {
  if (run.nesting >= run.limits.includeDepth) {
    failLimit(place, `macros and includes are nested more than ${run.limits.includeDepth} deep`);
  }
  run.nesting++;
  try {
    return body();
  } catch (error) {
    if (error instanceof RangeError) failLimit(place, 'the template is nested too deeply or makes too much');
    throw error;
  } finally {
    run.nesting--;
  }
}

/** Throws where a text is longer than a template may make. */
export function checkLength(run: Run, length: number, place: Place): void {
  if (length > run.limits.outputBytes)
    failLimit(place, `a text of more than ${run.limits.outputBytes} bytes is over the limit`);
}

export function failLimit(place: Place, problem: string): never {
  return failAt(place, problem, undefined, 'render_limit');
}
