import { functionMap } from '../../functions/function-map.ts';
import type { Host } from '../../go/host.ts';
import { usedBytes } from '../../threads/live-heap.ts';
import type { Supervisor } from '../../threads/tasks.ts';
import { engineChoice } from '../engine-choice.ts';
import { createGoTemplateEngine } from '../gotpl/engine.ts';
import { defaultRenderLimits } from '../limits.ts';
import { renderFunctions } from './render-functions.ts';
import type { RenderTasks } from './render-tasks.ts';

/** Limits of an attempt. Most charts need a hundredth of them. */
const attemptLimits = {
  ...defaultRenderLimits,
  steps: 1_000_000,
  outputBytes: 4 * 2 ** 20,
  milliseconds: 1_000,
  memoryMb: 128,
};

/** Number of steps between two looks at the clock and the heap. */
const stepsBetweenMeasurements = 256;

/**
 * Runs a task in the calling thread, and returns undefined if that fails for any reason: the stack
 * of the main thread is smaller than that of a render thread, and so are the limits. Only a render
 * thread says why a chart cannot be rendered.
 */
export type Attempt = <Name extends keyof RenderTasks>(
  name: Name,
  task: RenderTasks[Name]['input'],
  onPart: (part: unknown) => void,
) => RenderTasks[Name]['output'] | undefined;

export function createAttempt(host: Host): Attempt {
  const goTemplates = createGoTemplateEngine(functionMap(host, attemptLimits));
  const engine = engineChoice((name) => {
    if (name === 'gotpl') return goTemplates;
    throw new Error('Nunjucks runs in a render thread');
  });
  const functions = renderFunctions(engine, attemptLimits);
  return (name, task, onPart) => {
    const parts: unknown[] = [];
    try {
      const output = functions[name](task, {
        supervisor: attemptSupervisor(host),
        sendPart: (part) => parts.push(part),
      });
      if ('missing' in output) return undefined;
      parts.forEach(onPart);
      return output;
    } catch {
      return undefined;
    }
  };
}

/** Ends an attempt that takes too long or needs too much memory. */
function attemptSupervisor(host: Host): Supervisor {
  const end = host.now() + BigInt(attemptLimits.milliseconds) * 1_000_000n;
  const mostBytes = usedBytes() + attemptLimits.memoryMb * 2 ** 20;
  let steps = 0;
  return {
    enter: () => undefined,
    interruption(heavy) {
      steps++;
      if (!heavy && steps % stepsBetweenMeasurements !== 0) return undefined;
      return host.now() > end || usedBytes() > mostBytes ? 'needs a thread' : undefined;
    },
  };
}
