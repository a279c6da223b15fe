import type { MessagePort } from 'node:worker_threads';
import { garbageCollector } from './garbage.ts';
import { createLiveHeap } from './live-heap.ts';
import type { TaskOutcome, TaskRequest, ThreadMessage, ThreadSetup } from './messages.ts';
import { waitForParts } from './shared-state.ts';
import { createSupervisor } from './supervisor.ts';
import type { TaskFunctions, TaskPosition, TaskTypes } from './tasks.ts';
import { createTidyUp, heapBytes } from './tidy-up.ts';

/** Runs the tasks that a pool sends to this thread, one after the other. */
export function serveTasks<Types extends TaskTypes<Types>>(
  port: MessagePort,
  { limits, state, scarceBytes }: ThreadSetup,
  functions: TaskFunctions<Types>,
): void {
  const collectGarbage = garbageCollector();
  const supervisor = createSupervisor(state, limits, createLiveHeap(collectGarbage));
  const tidyUp = createTidyUp({
    scarceBytes,
    collectGarbage,
    heapBytes,
    residentBytes: () => process.memoryUsage.rss(),
  });

  async function perform({ task, input }: TaskRequest): Promise<ThreadMessage> {
    const run = functions[task as keyof Types]; // the pool has the same types
    let parts = 0;
    const sendPart = (part: unknown) => {
      port.postMessage({ type: 'part', part } satisfies ThreadMessage);
      parts++;
      waitForParts(state, parts);
    };
    try {
      const output = await run(input, { supervisor, sendPart });
      return { type: 'done', output };
    } catch (error) {
      return failedOutcome(error);
    } finally {
      supervisor.enter('');
    }
  }

  port.postMessage({ type: 'ready' } satisfies ThreadMessage);
  // the pool sends nothing else
  port.on('message', (request: TaskRequest) => {
    void perform(request).then((message) => {
      port.postMessage(message);
      setImmediate(tidyUp);
    });
  });
}

/** Returns the outcome of a task that threw: a defect if the error has no code. */
function failedOutcome(error: unknown): Exclude<TaskOutcome, { type: 'done' }> {
  if (!(error instanceof Error)) return { type: 'defect', error: new Error(String(error)) };
  if (!('code' in error) || typeof error.code !== 'string') return { type: 'defect', error };
  const position = 'position' in error ? error.position : undefined;
  return {
    type: 'failed',
    code: error.code,
    message: error.message,
    // errors with a code of the layers that run in threads have positions of this shape only
    ...(position !== undefined && { position: position as TaskPosition }),
  };
}
