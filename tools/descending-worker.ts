// A render thread in which `keys` and `values` use descending order.
import { parentPort, workerData } from 'node:worker_threads';
import { processHost } from '../src/render/process-host.ts';
import { serveRenders } from '../src/render/worker/serve-renders.ts';
import type { WorkerSetup } from '../src/render/worker/messages.ts';

if (parentPort === null) throw new Error('descending-worker runs as a worker thread only');
// the pool passes nothing else to this thread
serveRenders(parentPort, { ...processHost(), keyOrder: 'descending' }, workerData as WorkerSetup);
