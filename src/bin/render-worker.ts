import { parentPort, workerData } from 'node:worker_threads';
import { createEngines } from '../render/engines.ts';
import type { RenderLimits } from '../render/limits.ts';
import { processHost } from '../render/process-host.ts';
import { renderFunctions } from '../render/worker/render-functions.ts';
import type { RenderTasks } from '../render/worker/render-tasks.ts';
import type { ThreadSetup } from '../threads/messages.ts';
import { serveTasks } from '../threads/serve-tasks.ts';

if (parentPort === null) throw new Error('render-worker runs only as a worker thread');
// the pool always starts this thread with this data
const setup = workerData as ThreadSetup<RenderLimits>;
serveTasks<RenderTasks>(parentPort, setup, renderFunctions(createEngines(processHost(), setup.limits), setup.limits));
