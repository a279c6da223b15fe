// A render thread that returns the keys of maps in reverse order.
import { parentPort, workerData } from 'node:worker_threads';
import { createEngines } from '../src/render/engines.ts';
import type { RenderLimits } from '../src/render/limits.ts';
import { processHost } from '../src/render/process-host.ts';
import { renderFunctions } from '../src/render/worker/render-functions.ts';
import type { RenderTasks } from '../src/render/worker/render-tasks.ts';
import type { ThreadSetup } from '../src/threads/messages.ts';
import { serveTasks } from '../src/threads/serve-tasks.ts';

if (parentPort === null) throw new Error('descending-worker runs as a worker thread only');
// the pool that starts this thread gives it nothing else
const setup = workerData as ThreadSetup<RenderLimits>;
const engine = createEngines({ ...processHost(), keyOrder: 'descending' }, setup.limits);
serveTasks<RenderTasks>(parentPort, setup, renderFunctions(engine, setup.limits));
