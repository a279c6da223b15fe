// A render thread whose `keys` and `values` go through maps from behind.
import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../src/render/process-host.ts';
import { serveRenders } from '../src/render/worker/serve-renders.ts';
import type { WorkerSetup } from '../src/render/worker/messages.ts';

if (parentPort === null) throw new Error('descending-worker runs as a worker thread only');
// the pool that starts this thread gives it nothing else
serveRenders(parentPort, { ...processHost(), keyOrder: 'descending' }, workerData as WorkerSetup);
