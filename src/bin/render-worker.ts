import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../render/process-host.ts';
import { serveRenders } from '../render/worker/render-worker.ts';
import type { WorkerSetup } from '../render/worker/messages.ts';

if (parentPort === null) throw new Error('render-worker runs as a worker thread only');
// the pool that starts this thread gives it nothing else
serveRenders(parentPort, processHost(), workerData as WorkerSetup);
