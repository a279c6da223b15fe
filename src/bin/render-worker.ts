import { parentPort } from 'node:worker_threads';
import { processHost } from '../render/process-host.ts';
import { serveRenders } from '../render/render-worker.ts';

if (parentPort === null) throw new Error('render-worker runs as a worker thread only');
serveRenders(parentPort, processHost());
