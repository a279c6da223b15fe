import { failedOutcome } from '../../threads/failed-outcome.ts';
import type { Supervisor, TaskFunctions } from '../../threads/tasks.ts';
import type { Engine } from '../engine.ts';
import type { RenderLimits } from '../limits.ts';
import type { RenderNotice } from '../notice.ts';
import { renderFiles, renderTemplates, splitManifests } from '../render-chart.ts';
import type { RenderSupervisor } from '../render-supervisor.ts';
import { createSchemaCache } from '../schema-cache.ts';
import type { LookupTable } from '../scope/lookup-table.ts';
import {
  packChart,
  type RenderOutcome,
  type RenderReply,
  type RenderTask,
  type RenderTasks,
  unpackChart,
  unpackValues,
} from './render-tasks.ts';

/** Returns the functions behind {@link RenderTasks}. */
export function renderFunctions(engine: Engine, limits: RenderLimits): TaskFunctions<RenderTasks> {
  const render = createTaskRenderer(engine, limits);
  return { render: (task, { supervisor }) => render(task, supervisor) };
}

/** Returns a function that performs render tasks, and keeps compiled charts and schemas. */
export function createTaskRenderer(
  engine: Engine,
  limits: RenderLimits,
): (task: RenderTask, supervisor: Supervisor) => RenderReply {
  const schemas = createSchemaCache();

  function render(request: RenderTask, supervisor: Supervisor, notice: (notice: RenderNotice) => void): RenderOutcome {
    const { lookups: results, resolvesHosts, output, ...facts } = request;
    const lookups: LookupTable | undefined = results && { results, missing: [], resolvesHosts };
    try {
      const chart = unpackChart(request.chart);
      const values = unpackValues(request.values);
      const options = { ...request.options, limits };
      const input = {
        ...facts,
        options,
        supervisor: renderSupervisor(supervisor),
        schemas,
        chart,
        values,
        notice,
        ...(lookups && { lookups }),
      };
      if (output === 'files') return { type: 'files', files: renderFiles(input, engine) };
      const templates = renderTemplates(input, engine);
      supervisor.enter('');
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      const packed = packChart(templates.chart);
      if (output === 'templates') return { type: 'templates', templates: { ...templates, chart: packed } };
      return { type: 'rendered', rendered: { ...splitManifests(templates, notice), chart: packed } };
    } catch (error) {
      // the template may have failed only because a lookup has not been done yet
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      return failedOutcome(error);
    }
  }

  return (task, supervisor) => {
    const notices: RenderNotice[] = [];
    return { ...render(task, supervisor, (notice) => notices.push(notice)), notices };
  };
}

/** Returns the supervisor of a task as a render sees it. */
export function renderSupervisor(supervisor: Supervisor): RenderSupervisor {
  return {
    startTemplate: (path) => supervisor.enter(path),
    interruption: (heavy) => supervisor.interruption(heavy),
  };
}
