import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../render/process-host.ts';
import { serveRenders } from '../render/worker/serve-renders.ts';
import type { WorkerSetup } from '../render/worker/messages.ts';

if (parentPort === null) throw new Error('render-worker runs only as a worker thread');
// the pool always starts this thread with this data
serveRenders(parentPort, processHost(), workerData as WorkerSetup);
