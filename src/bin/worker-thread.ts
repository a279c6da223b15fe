import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../render/process-host.ts';
import type { ThreadSetup } from '../threads/messages.ts';
import { serveTasks } from '../threads/serve-tasks.ts';
import type { TextThreadLimits } from '../workers/limits.ts';
import { taskFunctions } from '../workers/task-functions.ts';

if (parentPort === null) throw new Error('worker-thread runs only as a worker thread');
// the pool always starts this thread with this data
const setup = workerData as ThreadSetup<TextThreadLimits>;
serveTasks(parentPort, setup, taskFunctions(processHost(), setup.limits));
