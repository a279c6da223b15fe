import type { MessagePort } from 'node:worker_threads';
import type { Host } from '../../go/host.ts';
import { createEngines } from '../engines.ts';
import type { RenderNotice } from '../notice.ts';
import { renderFiles, renderTemplates, splitManifests } from '../render-chart.ts';
import type { RenderError } from '../render-error.ts';
import { createSchemaCache } from '../schema-cache.ts';
import type { LookupTable } from '../scope/lookup-table.ts';
import { createLiveHeap } from './live-heap.ts';
import type { WorkerOutcome, WorkerReady, WorkerReply, WorkerRequest, WorkerSetup } from './messages.ts';
import { createSupervisor } from './progress-board.ts';
import { packChart, unpackChart, unpackValues } from './wire-values.ts';

/**
 * Serves the render requests that arrive at a port. Runs in a thread of its own, which the renderer
 * ends if a render takes too long.
 * @param setup the thread's `workerData`
 */
export function serveRenders(port: MessagePort, host: Host, { limits, board }: WorkerSetup): void {
  const engine = createEngines(host, limits);
  const schemas = createSchemaCache();
  const supervisor = createSupervisor(board, limits, createLiveHeap());

  function render(request: WorkerRequest, notice: (notice: RenderNotice) => void): WorkerOutcome {
    const { lookups: results, output, ...facts } = request;
    const lookups: LookupTable | undefined = results && { results, missing: [] };
    try {
      const chart = unpackChart(request.chart);
      const values = unpackValues(request.values);
      const options = { ...request.options, limits };
      const input = { ...facts, options, supervisor, schemas, chart, values, notice, ...(lookups && { lookups }) };
      if (output === 'files') return { type: 'files', files: renderFiles(input, engine) };
      const templates = renderTemplates(input, engine);
      supervisor.startTemplate('');
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      const packed = packChart(templates.chart);
      if (output === 'templates') return { type: 'templates', templates: { ...templates, chart: packed } };
      return { type: 'rendered', rendered: { ...splitManifests(templates, notice), chart: packed } };
    } catch (error) {
      // the template may have failed only because a lookup has not been done yet
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      return failure(error);
    }
  }

  // the renderer sends nothing else through this port
  port.on('message', (request: WorkerRequest) => {
    const notices: RenderNotice[] = [];
    const reply: WorkerReply = { ...render(request, (notice) => notices.push(notice)), notices };
    port.postMessage(reply);
  });
  const ready: WorkerReady = { type: 'ready' };
  port.postMessage(ready);
}

function failure(error: unknown): WorkerOutcome {
  if (!(error instanceof Error)) return { type: 'defect', error: new Error(String(error)) };
  if (!('code' in error) || typeof error.code !== 'string') return { type: 'defect', error };
  const position = 'position' in error ? error.position : undefined;
  return {
    type: 'failed',
    code: error.code,
    message: error.message,
    // errors with a code that this layer and those below throw have no other kind of position
    ...(position !== undefined && { position: position as NonNullable<RenderError['position']> }),
  };
}
