import { functionMap } from '../../functions/function-map.ts';
import type { Host } from '../../go/host.ts';
import { usedBytes } from '../../threads/live-heap.ts';
import type { Supervisor } from '../../threads/tasks.ts';
import { engineChoice } from '../engine-choice.ts';
import { createGoTemplateEngine } from '../gotpl/engine.ts';
import { defaultRenderLimits } from '../limits.ts';
import { createTaskRenderer } from './render-functions.ts';
import type { RenderReply, RenderTask } from './render-tasks.ts';

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
 * Returns a function that renders a chart in the calling thread, and returns undefined if that
 * fails for any reason: the stack of the main thread is smaller than that of a render thread, and
 * so are the limits. Only a render thread says why a chart cannot be rendered.
 */
export function createAttempt(host: Host): (task: RenderTask) => RenderReply | undefined {
  const goTemplates = createGoTemplateEngine(functionMap(host, attemptLimits));
  const engine = engineChoice((name) => {
    if (name === 'gotpl') return goTemplates;
    throw new Error('Nunjucks runs in a render thread');
  });
  const render = createTaskRenderer(engine, attemptLimits);
  return (task) => {
    const reply = render(task, attemptSupervisor(host));
    const isDone = reply.type === 'rendered' || reply.type === 'templates' || reply.type === 'files';
    return isDone ? reply : undefined;
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
