import type { Supervisor, TaskTools } from '../../threads/tasks.ts';
import type { Engine } from '../engine.ts';
import type { RenderLimits } from '../limits.ts';
import type { RenderNotice } from '../notice.ts';
import { renderFiles, renderTemplates, splitManifests } from '../render-chart.ts';
import { runPass } from '../render-passes.ts';
import type { RenderSupervisor } from '../render-supervisor.ts';
import { createSchemaCache } from '../schema-cache.ts';
import { packChart, type RenderTask, type RenderTasks, unpackChart, unpackValues } from './render-tasks.ts';

/** The functions behind {@link RenderTasks}. */
export type RenderFunctions = {
  [Name in keyof RenderTasks]: (task: RenderTasks[Name]['input'], tools: TaskTools) => RenderTasks[Name]['output'];
};

/** Returns functions that keep compiled charts and schemas. */
export function renderFunctions(engine: Engine, limits: RenderLimits): RenderFunctions {
  const schemas = createSchemaCache();

  const passOf = ({ chart, values, options, release, capabilities }: RenderTask, supervisor: Supervisor) => ({
    release,
    capabilities,
    options: { ...options, limits },
    supervisor: renderSupervisor(supervisor),
    schemas,
    chart: unpackChart(chart),
    values: unpackValues(values),
  });

  return {
    render({ forPostRender, ...task }, { supervisor, sendPart }) {
      const notices: RenderNotice[] = [];
      const notice = (one: RenderNotice) => notices.push(one);
      let isMissing = false;
      try {
        const pass = passOf(task, supervisor);
        const reply = runPass(task, (lookups) => renderTemplates({ ...pass, lookups, notice }, engine));
        isMissing = 'missing' in reply;
        if ('missing' in reply) return reply;
        supervisor.enter('');
        const chart = packChart(reply.done.chart);
        return { done: forPostRender ? { ...reply.done, chart } : { ...splitManifests(reply.done, notice), chart } };
      } finally {
        // the next pass logs the same lines again
        if (!isMissing && notices.length > 0) sendPart(notices);
      }
    },

    renderFiles(task, { supervisor, sendPart }) {
      const notices: RenderNotice[] = [];
      try {
        return renderFiles({ ...passOf(task, supervisor), notice: (one) => notices.push(one) }, engine);
      } finally {
        if (notices.length > 0) sendPart(notices);
      }
    },
  };
}

/** Returns the supervisor of a task as a render sees it. */
export function renderSupervisor(supervisor: Supervisor): RenderSupervisor {
  return {
    startTemplate: (path) => supervisor.enter(path),
    interruption: (heavy) => supervisor.interruption(heavy),
  };
}
