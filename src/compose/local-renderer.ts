import { processHost } from '../render/process-host.ts';
import { createAttempt } from '../render/worker/attempt-render.ts';
import {
  createThreadedRenderer,
  type RendererOptions,
  type ThreadedRenderer,
} from '../render/worker/threaded-renderer.ts';
import { moduleUrl } from './module-url.ts';

/**
 * Creates a renderer for the charts of a person at this machine. It renders small charts in this
 * thread, because a thread takes longer to start than such a chart to render, and nothing else
 * waits for this thread. All others, and charts that fail, are rendered in threads that run the
 * module `render-worker` of this program.
 */
export function localRenderer(options: Omit<RendererOptions, 'workerUrl' | 'attempt'>): ThreadedRenderer {
  // a limit that the user has set counts from the start
  const attempt = options.limits === undefined && { attempt: createAttempt(processHost()) };
  return createThreadedRenderer({ workerUrl: moduleUrl('render-worker'), ...attempt, ...options });
}
