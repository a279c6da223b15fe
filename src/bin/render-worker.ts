import { parentPort } from 'node:worker_threads';
import { serveRenders } from '../render/render-worker.ts';
import { processHost } from './host.ts';

if (parentPort === null) throw new Error('render-worker runs as a worker thread only');
serveRenders(parentPort, processHost());
