import type { Chart } from '../chart/chart.ts';
import type { Host } from '../go/host.ts';
import { fromBytes } from '../go/text.ts';
import type { ValueMap } from '../go/value.ts';
import { plainObject } from '../release/plain-value.ts';
import { storedChart } from '../release/stored-chart.ts';
import { createEngines } from '../render/engines.ts';
import { printManifest } from '../render/manifest/documents.ts';
import { sortManifests, withoutSecret } from '../render/manifest/sort-manifests.ts';
import { unreadableManifest } from '../render/manifest/unreadable.ts';
import { type ValueWarning, warningsInto } from '../render/notice.ts';
import { renderTemplates } from '../render/render-chart.ts';
import type { RenderPass } from '../render/render-input.ts';
import { runPass } from '../render/render-passes.ts';
import { createSchemaCache } from '../render/schema-cache.ts';
import { renderSupervisor } from '../render/worker/render-functions.ts';
import type { TaskTools } from '../threads/tasks.ts';
import {
  countValueNodes,
  largeText,
  requireManifestBytes,
  requireObjectCount,
  requireStorable,
  storedBytes,
} from './budget.ts';
import { smallBytes } from './large-texts.ts';
import type { TextLimits, TextThreadLimits } from './limits.ts';
import type { LoadedCharts } from './loaded-charts.ts';
import { readValues } from './read-values.ts';
import type { SplitManifest, WorkerTasks } from './tasks.ts';

type RenderTask = WorkerTasks['render'];

/** Returns the function that renders a chart once, with the lookups of earlier passes. */
export function releaseRendering(
  host: Host,
  limits: TextThreadLimits,
  charts: LoadedCharts,
): (task: RenderTask['input'], tools: TaskTools) => Promise<RenderTask['output']> {
  const engine = createEngines(host, limits);
  const schemas = createSchemaCache();

  return async ({ chart: content, values: given, mayBeLarge, ...task }, { supervisor }) => {
    const reuseWarnings: ValueWarning[] = [];
    const { values, defaults } = readValues(given, warningsInto(reuseWarnings));
    let usesCapabilities = false;
    const onRead = () => {
      usesCapabilities = true;
    };
    const pass: RenderPass = {
      release: task.release,
      capabilities: { ...task.capabilities, onRead },
      chart: withDefaults(await charts.chartOf(content), defaults),
      values,
      options: { ...task.options, limits, charts: limits.charts },
      supervisor: renderSupervisor(supervisor),
      schemas,
    };
    const reply = runPass(task, (lookups) => renderTemplates({ ...pass, lookups }, engine));
    if ('missing' in reply) return reply;
    supervisor.enter('');
    const { chart, files, notes, crds, ...rendered } = reply.done;
    const crdTexts = new Map(task.includeCrds ? crds.map(({ filename, data }) => [filename, fromBytes(data)]) : []);
    requireManifestBytes(new Map([...crdTexts, ...files]), limits);
    requireStorable(chart, limits);
    if (!mayBeLarge && textLength(files) + textLength(crdTexts) + storedBytes(chart) > smallBytes) throw largeText();
    const warnings = [...reuseWarnings, ...rendered.warnings];
    const parts = { chart: storedChart(chart), config: plainObject(values), notes, warnings, usesCapabilities };
    const nodes = countValueNodes('the values of the chart have', limits);
    nodes.add(parts.chart.values);
    nodes.add(parts.config);
    if (task.forPostRender) return { done: { ...parts, files } };
    const { manifest, ...split } = splitManifest(files, task.hideSecrets, limits);
    const crdManifest = Array.from(crdTexts, ([name, text]) => printManifest(name, text)).join('');
    return { done: { ...parts, ...split, manifest: crdManifest + manifest } };
  };
}

/** Splits rendered files into the manifest and the hooks. */
export function splitManifest(
  files: ReadonlyMap<string, string>,
  hideSecrets: boolean,
  limits: TextLimits,
): SplitManifest {
  const { manifests, hooks } = sortManifests(files, unreadableManifest);
  requireObjectCount(manifests.length + hooks.length, limits, 'the chart renders');
  const shown = hideSecrets ? manifests.map(withoutSecret) : manifests;
  const manifest = shown.map(({ name, content }) => printManifest(name, content)).join('');
  return { manifest, manifestCount: manifests.length, hooks };
}

/** Returns a chart with other default values. */
export function withDefaults(chart: Chart, values: ValueMap | undefined): Chart {
  return values === undefined ? chart : { ...chart, values };
}

function textLength(files: ReadonlyMap<string, string>): number {
  return Array.from(files.values()).reduce((sum, text) => sum + text.length, 0);
}
