import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { waitForParts } from './board.ts';
import { failedOutcome } from './failed-outcome.ts';
import { garbageCollector } from './garbage.ts';
import { createLiveHeap } from './live-heap.ts';
import type { TaskRequest, ThreadMessage, ThreadSetup } from './messages.ts';
import { createSupervisor } from './supervisor.ts';
import type { TaskFunctions, TaskTypes } from './tasks.ts';

/** Size of the heap after a task from which on its garbage is collected, in bytes. */
const largeHeap = 48 * 2 ** 20;

/** Runs the tasks that a pool sends to this thread, one after the other. */
export function serveTasks<Types extends TaskTypes<Types>>(
  port: MessagePort,
  { limits, board, scarceBytes }: ThreadSetup,
  functions: TaskFunctions<Types>,
): void {
  const collectGarbage = garbageCollector();
  const supervisor = createSupervisor(board, limits, createLiveHeap(collectGarbage));

  /** Gives memory back that the task took: a thread keeps it until the next task otherwise. */
  function tidyUp(): void {
    const { total_physical_size, external_memory } = getHeapStatistics();
    const isLarge = total_physical_size + external_memory > largeHeap;
    if (isLarge || process.memoryUsage.rss() > scarceBytes) collectGarbage('all-and-shrink');
  }

  async function perform({ task, input }: TaskRequest): Promise<ThreadMessage> {
    const run = functions[task as keyof Types]; // the pool has the same types
    let parts = 0;
    const sendPart = (part: unknown) => {
      port.postMessage({ type: 'part', part } satisfies ThreadMessage);
      parts++;
      waitForParts(board, parts);
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
