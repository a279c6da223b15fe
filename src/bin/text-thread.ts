import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../render/process-host.ts';
import type { TextThreadLimits } from '../texts/limits.ts';
import { textFunctions } from '../texts/text-functions.ts';
import type { ThreadSetup } from '../threads/messages.ts';
import { serveTasks } from '../threads/serve-tasks.ts';

if (parentPort === null) throw new Error('text-thread runs only as a worker thread');
// the pool always starts this thread with this data
const setup = workerData as ThreadSetup<TextThreadLimits>;
serveTasks(parentPort, setup, textFunctions(processHost(), setup.limits));
