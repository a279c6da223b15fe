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
import { createSchemaCache } from '../render/schema-cache.ts';
import type { LookupTable } from '../render/scope/lookup-table.ts';
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
import type { ReleaseRenderReply, SplitManifest, WorkerTasks } from './tasks.ts';

type RenderRelease = (task: WorkerTasks['render']['input'], tools: TaskTools) => Promise<ReleaseRenderReply>;

/** Returns the function that renders a chart once, with the lookups of earlier passes. */
export function releaseRendering(host: Host, limits: TextThreadLimits, charts: LoadedCharts): RenderRelease {
  const engine = createEngines(host, limits);
  const schemas = createSchemaCache();

  return async ({ lookups: results, resolvesHosts, ...task }, tools) => {
    const lookups: LookupTable | undefined = results && { results, missing: [], resolvesHosts };
    try {
      return await renderOnce(task, tools, lookups);
    } catch (error) {
      // the template may have failed only because a lookup has not been done yet
      if (isMissing(lookups)) return { type: 'missing', lookups: lookups.missing };
      throw error;
    }
  };

  async function renderOnce(
    given: Omit<WorkerTasks['render']['input'], 'lookups' | 'resolvesHosts'>,
    { supervisor }: TaskTools,
    lookups: LookupTable | undefined,
  ): Promise<ReleaseRenderReply> {
    const { chart: content, forPostRender, hideSecrets, includeCrds, mayBeLarge, ...task } = given;
    const reuseWarnings: ValueWarning[] = [];
    const { values, defaults } = readValues(task.values, warningsInto(reuseWarnings));
    let usesCapabilities = false;
    const onRead = () => {
      usesCapabilities = true;
    };
    const input = {
      ...task,
      capabilities: { ...task.capabilities, onRead },
      chart: withDefaults(await charts.chartOf(content), defaults),
      values,
      options: { ...task.options, limits, charts: limits.charts },
      supervisor: renderSupervisor(supervisor),
      schemas,
      ...(lookups && { lookups }),
    };
    const { chart, files, notes, crds, ...rendered } = renderTemplates(input, engine);
    supervisor.enter('');
    if (isMissing(lookups)) return { type: 'missing', lookups: lookups.missing };
    const crdTexts = new Map(includeCrds ? crds.map(({ filename, data }) => [filename, fromBytes(data)]) : []);
    requireManifestBytes(new Map([...crdTexts, ...files]), limits);
    requireStorable(chart, limits);
    if (!mayBeLarge && textLength(files) + textLength(crdTexts) + storedBytes(chart) > smallBytes) throw largeText();
    const warnings = [...reuseWarnings, ...rendered.warnings];
    const parts = { chart: storedChart(chart), config: plainObject(values), notes, warnings, usesCapabilities };
    const nodes = countValueNodes('the values of the chart have', limits);
    nodes.add(parts.chart.values);
    nodes.add(parts.config);
    if (forPostRender) return { type: 'files', parts, files };
    const { manifest, ...split } = splitManifest(files, hideSecrets, limits);
    const crdManifest = Array.from(crdTexts, ([name, text]) => printManifest(name, text)).join('');
    return { type: 'rendered', release: { ...parts, ...split, manifest: crdManifest + manifest } };
  }
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

function isMissing(lookups: LookupTable | undefined): lookups is LookupTable {
  return lookups !== undefined && lookups.missing.length > 0;
}

function textLength(files: ReadonlyMap<string, string>): number {
  return Array.from(files.values()).reduce((sum, text) => sum + text.length, 0);
}
