import { LRUCache } from 'lru-cache';
import type { Chart } from '../chart/chart.ts';
import type { ChartLimits } from '../chart/limits.ts';
import { MemoryFullError } from '../chart/load/growing-memory.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import { loadUnpacked } from '../chart/load/load-archive.ts';
import { requireInstallable } from '../chart/metadata/installable.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import type { Host } from '../go/host.ts';
import type { ValueMap } from '../go/value.ts';
import { decodeRelease, encodeRelease } from '../release/codec.ts';
import { ReleaseError } from '../release/error.ts';
import { plainObject } from '../release/plain-value.ts';
import { storedChart } from '../release/stored-chart.ts';
import { createEngines } from '../render/engines.ts';
import type { RenderLimits } from '../render/limits.ts';
import { crdFiles } from '../render/manifest/crds.ts';
import { withoutSecret } from '../render/manifest/hide-secrets.ts';
import { readObjects } from '../render/manifest/read-objects.ts';
import { sortManifests } from '../render/manifest/sort-manifests.ts';
import { printManifest } from '../render/manifest/documents.ts';
import { unreadableManifest } from '../render/manifest/unreadable.ts';
import type { ManifestObject } from '../render/release-renderer.ts';
import { renderTemplates } from '../render/render-chart.ts';
import { createSchemaCache } from '../render/schema-cache.ts';
import type { LookupTable } from '../render/scope/lookup-table.ts';
import { renderSupervisor } from '../render/worker/render-functions.ts';
import { createChartReader } from '../source/chart-reader.ts';
import type { TaskFunctions, TaskTools } from '../threads/tasks.ts';
import type { TextLimits } from './limits.ts';
import { smallBytes, smallNodes } from './large-texts.ts';
import { createNodeCounter, type NodeCounter } from './node-counter.ts';
import { createPartSender } from './part-sender.ts';
import { readValues } from './read-values.ts';
import { TextError } from './text-error.ts';
import type { CrdSummary, ReleaseRenderReply, SplitManifest, TextTasks } from './text-tasks.ts';

/** Bytes of loaded charts that a thread keeps. */
const keptChartBytes = 16 * 1024 * 1024;

const never = new AbortController().signal;

/** All limits of a thread that reads texts. */
export interface TextThreadLimits extends RenderLimits, ChartLimits, TextLimits {}

/** Returns the functions behind {@link TextTasks}, which keep recently used charts. */
export function textFunctions(host: Host, limits: TextThreadLimits): TaskFunctions<TextTasks> {
  const engine = createEngines(host, limits);
  const schemas = createSchemaCache();
  const reader = createChartReader(limits);
  const smallReader = createChartReader(limits, smallBytes);
  const charts = new LRUCache<string, Chart>({ maxSize: keptChartBytes });

  async function chartOf({ digest, files }: ChartContent): Promise<Chart> {
    const known = charts.get(digest);
    if (known !== undefined) return known;
    const chart = await loadUnpacked(files, { limits });
    charts.set(digest, chart, { size: 1 + files.reduce((sum, { data }) => sum + data.length, 0) });
    return chart;
  }

  const readerFor = (mayBeLarge: boolean) => (mayBeLarge ? reader : smallReader);

  async function readAndCheck(reading: Promise<ChartContent>): Promise<ChartContent> {
    const content = await reading.catch((error: unknown) => {
      throw isMemoryFull(error) ? largeText() : error;
    });
    const chart = await chartOf(content);
    requireInstallable(chart);
    requireStorable(chart, limits.releaseBytes);
    return content;
  }

  /** @param subject start of the error: `the manifest has` */
  function countNodes(subject: string, most: number): NodeCounter {
    return createNodeCounter(most, () => tooLarge(`${subject} more than ${most} nodes`));
  }

  function countObjectNodes(subject: string, mayBeLarge: boolean): NodeCounter {
    if (mayBeLarge || limits.nodes <= smallNodes) return countNodes(subject, limits.nodes);
    return createNodeCounter(smallNodes, largeText);
  }

  function split(files: ReadonlyMap<string, string>, hideSecrets: boolean): SplitManifest {
    const { manifests, hooks } = sortManifests(files, unreadableManifest);
    requireCount(manifests.length + hooks.length, limits.objects, 'the chart renders', 'objects');
    const shown = hideSecrets ? manifests.map(withoutSecret) : manifests;
    const manifest = shown.map(({ name, content }) => printManifest(name, content)).join('');
    return { manifest, manifestCount: manifests.length, hooks };
  }

  function requireBytes(files: ReadonlyMap<string, string>): void {
    let bytes = 0;
    for (const [file, text] of files) {
      bytes += Buffer.byteLength(text);
      if (bytes <= limits.manifestBytes) continue;
      throw tooLarge(`${file}: the chart renders more than ${limits.manifestBytes} bytes`, { file });
    }
  }

  async function render(
    { chart: content, lookups: results, forPostRender, hideSecrets, mayBeLarge, ...task }: TextTasks['render']['input'],
    { supervisor }: TaskTools,
  ): Promise<ReleaseRenderReply> {
    const lookups: LookupTable | undefined = results && { results, missing: [] };
    try {
      const { values, defaults } = readValues(task.values);
      const input = {
        ...task,
        chart: withDefaults(await chartOf(content), defaults),
        values,
        options: { ...task.options, limits, charts: limits.charts },
        supervisor: renderSupervisor(supervisor),
        schemas,
        ...(lookups && { lookups }),
      };
      const { chart, files, notes, warnings } = renderTemplates(input, engine);
      supervisor.enter('');
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      requireBytes(files);
      requireStorable(chart, limits.releaseBytes);
      if (!mayBeLarge && textLength(files) + storedBytes(chart) > smallBytes) throw largeText();
      const parts = { chart: storedChart(chart), config: plainObject(values), notes, warnings };
      const nodes = countNodes('the values of the chart have', limits.valueNodes);
      nodes.add(parts.chart.values);
      nodes.add(parts.config);
      if (forPostRender) return { type: 'files', parts, files };
      return { type: 'rendered', release: { ...parts, ...split(files, hideSecrets) } };
    } catch (error) {
      // the template may have failed only because a lookup has not been done yet
      if (lookups && lookups.missing.length > 0) return { type: 'missing', lookups: lookups.missing };
      throw error;
    }
  }

  /** Sends the objects of a text and returns their number. */
  function sendObjects(text: string, prefix: string, { sendPart }: TaskTools, nodes: NodeCounter): number {
    const parts = createPartSender<ManifestObject>(sendPart, nodes);
    let count = 0;
    for (const object of readObjects(text, prefix)) {
      count++;
      requireCount(count, limits.objects, `${prefix}: ${object.source}: the manifest has`, 'objects');
      parts.add(object);
    }
    parts.end();
    return count;
  }

  return {
    readArchive: ({ archive, mayBeLarge }) => readAndCheck(readerFor(mayBeLarge).readArchive(archive, never)),
    readFolder: ({ folder, root, mayBeLarge }) => readAndCheck(readerFor(mayBeLarge).readFolder(folder, root, never)),
    findChart: ({ index, query }) => reader.findChart(index, query, never),

    async crds({ chart: content, values, mayBeLarge }, tools) {
      const given = readValues(values);
      const installed = withDefaults(await chartOf(content), given.defaults);
      const chart = processDependencies(installed, given.values, () => undefined, limits.charts);
      const nodes = countObjectNodes('the CRDs of the chart have', mayBeLarge);
      return crdFiles(chart).map(({ name, data }): CrdSummary => {
        tools.supervisor.enter(name);
        const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
        return { name, objectCount: sendObjects(text, `failed to install CRD ${name}`, tools, nodes) };
      });
    },

    render,
    splitFiles({ files, hideSecrets }) {
      requireBytes(files);
      return split(files, hideSecrets);
    },

    readObjects({ manifest, prefix, mayBeLarge }, tools) {
      sendObjects(manifest, prefix, tools, countObjectNodes('the manifest has', mayBeLarge));
      return undefined;
    },

    async decodeRelease({ encoded, mayBeLarge }) {
      const most = mayBeLarge ? limits.releaseBytes : Math.min(smallBytes, limits.releaseBytes);
      const release = await decodeRelease(encoded, most).catch((error: unknown) => {
        const isTooLarge = error instanceof ReleaseError && error.code === 'release_too_large';
        throw isTooLarge && most < limits.releaseBytes ? largeText() : error;
      });
      countNodes('the stored release has', limits.valueNodes).add(release);
      return release;
    },

    encodeRelease: ({ release }) => encodeRelease(release),
  };
}

function withDefaults(chart: Chart, values: ValueMap | undefined): Chart {
  return values === undefined ? chart : { ...chart, values };
}

/** Refuses a chart whose files alone are larger than a release may be. */
function requireStorable(chart: Chart, releaseBytes: number): void {
  if (storedBytes(chart) > releaseBytes)
    throw tooLarge(`a release with the files of the chart has more than ${releaseBytes} bytes`);
}

/** Returns the size of the chart's files in a release, where they are in base64. */
function storedBytes({ templates, files }: Chart): number {
  const bytes = [...templates, ...files].reduce((sum, { data }) => sum + data.length, 0);
  return Math.ceil(bytes / 3) * 4;
}

function textLength(files: ReadonlyMap<string, string>): number {
  return Array.from(files.values()).reduce((sum, text) => sum + text.length, 0);
}

function isMemoryFull(error: unknown): boolean {
  return error instanceof Error && (error instanceof MemoryFullError || error.cause instanceof MemoryFullError);
}

function largeText(): TextError {
  return new TextError('large_text', `the text is large`);
}

function requireCount(count: number, most: number, subject: string, what: string): void {
  if (count > most) throw tooLarge(`${subject} more than ${most} ${what}`);
}

function tooLarge(message: string, position?: { file: string }): TextError {
  return new TextError('too_large', message, position);
}
