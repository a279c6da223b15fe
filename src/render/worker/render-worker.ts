import type { MessagePort } from 'node:worker_threads';
import { createLiveHeap } from './live-heap.ts';
import { reportingWatch } from './progress-board.ts';
import type { Host } from '../../go/host.ts';
import { createSchemaCache } from './schema-cache.ts';
import { createEngines } from '../engines.ts';
import type { LookupTable } from '../scope/lookup-table.ts';
import type { RenderNotice } from '../notice.ts';
import { renderFiles, renderTemplates, takenApart } from '../render-chart.ts';
import type { RenderError } from '../render-error.ts';
import type { WorkerAnswer, WorkerReply, WorkerRequest, WorkerSetup } from './messages.ts';
import { packChart, unpackChart, unpackValues } from './wire-values.ts';

/**
 * Answers the render requests that come through a port. To be run in a thread of its own, which the renderer ends when a render takes too long.
 * @param setup what the renderer gave the thread: its `workerData`
 */
export function serveRenders(port: MessagePort, host: Host, { limits, board }: WorkerSetup): void {
  const engine = createEngines(host, limits);
  const schemas = createSchemaCache();
  const watch = reportingWatch(board, limits, createLiveHeap());

  function answer(request: WorkerRequest, notice: (notice: RenderNotice) => void): WorkerAnswer {
    const { lookups: answers, wanted, ...facts } = request;
    const lookups: LookupTable | undefined = answers && { answers, missing: [] };
    try {
      const chart = unpackChart(request.chart);
      const values = unpackValues(request.values);
      const options = { ...request.options, limits };
      const input = { ...facts, options, watch, schemas, chart, values, notice, ...(lookups && { lookups }) };
      if (wanted === 'files') return { type: 'files', files: renderFiles(input, engine) };
      const templates = renderTemplates(input, engine);
      watch.begins('');
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      const packed = packChart(templates.chart);
      if (wanted === 'templates') return { type: 'templates', templates: { ...templates, chart: packed } };
      return { type: 'rendered', rendered: { ...takenApart(templates, notice), chart: packed } };
    } catch (error) {
      // a template may fail only because it saw nothing yet
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      return failure(error);
    }
  }

  // the renderer sends nothing else through this port
  port.on('message', (request: WorkerRequest) => {
    const notices: RenderNotice[] = [];
    const reply: WorkerReply = { ...answer(request, (notice) => notices.push(notice)), notices };
    port.postMessage(reply);
  });
}

function failure(error: unknown): WorkerAnswer {
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
