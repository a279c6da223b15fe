import type { Chart } from '../../chart/chart.ts';
import { Int, type Value, type ValueMap } from '../../go/value.ts';
import type { RenderNotice } from '../notice.ts';
import type { RenderPosition } from '../render-error.ts';
import type { RenderInput, RenderOptions } from '../render-request.ts';
import type { Rendered, RenderedTemplates } from '../rendered.ts';
import type { LookupKey, LookupResults } from '../scope/lookup-table.ts';

/** Tasks of a thread that renders charts. */
export interface RenderTasks {
  render: { input: RenderTask; output: RenderReply };
}

/** Request for one render. */
export interface RenderTask extends Pick<RenderInput, 'release' | 'capabilities'> {
  chart: PackedChart;
  values: PackedValues;
  /** Objects that earlier passes looked up. Default: lookups find nothing. */
  lookups?: LookupResults;
  /** Whether `getHostByName` resolves names. Default: it returns an empty text. */
  resolvesHosts?: boolean;
  options: RenderOptions;
  /**
   * The result to return: all of it, the input of a post-renderer (see `renderTemplates`), or only
   * the texts of the templates (see `renderFiles`).
   */
  output: 'rendered' | 'templates' | 'files';
}

export type RenderOutcome =
  | { type: 'rendered'; rendered: Omit<Rendered, 'chart'> & { chart: PackedChart } }
  | { type: 'templates'; templates: Omit<RenderedTemplates, 'chart'> & { chart: PackedChart } }
  | { type: 'files'; files: ReadonlyMap<string, string> }
  /** Templates looked up these objects: render again with the results. */
  | { type: 'missing'; lookups: LookupKey[] }
  | { type: 'failed'; code: string; message: string; position?: RenderPosition }
  /** A bug in this program. */
  | { type: 'defect'; error: Error };

/** An outcome, and what Helm logs on the way to it. */
export type RenderReply = RenderOutcome & { notices: readonly RenderNotice[] };

// Charts and values that are sent between threads. `postMessage` clones maps, lists and
// primitives, but loses the class of an integer.

/** Values with integers as plain data, for `postMessage`. */
type PackedValues = ReadonlyMap<string, unknown>;

/** A chart whose values are packed. */
interface PackedChart extends Omit<Chart, 'values' | 'dependencies'> {
  values: PackedValues;
  dependencies: PackedChart[];
}

export function packChart(chart: Chart): PackedChart {
  return { ...chart, values: packValues(chart.values), dependencies: chart.dependencies.map(packChart) };
}

export function unpackChart(chart: PackedChart): Chart {
  return { ...chart, values: unpackValues(chart.values), dependencies: chart.dependencies.map(unpackChart) };
}

export function packValues(values: ReadonlyMap<string, Value>): PackedValues {
  return new Map(Array.from(values, ([key, value]) => [key, pack(value)]));
}

export function unpackValues(packed: PackedValues): ValueMap {
  return new Map(Array.from(packed, ([key, value]) => [key, unpack(value)]));
}

function pack(value: Value): unknown {
  if (value instanceof Int) return { kind: value.kind, value: value.value };
  if (value instanceof Map) return packValues(value);
  if (Array.isArray(value)) return Array.from(value, pack);
  return value;
}

function unpack(packed: unknown): Value {
  if (packed instanceof Map) return unpackValues(packed);
  if (Array.isArray(packed)) return packed.map(unpack);
  if (isPackedInt(packed)) return new Int(packed.kind, packed.value);
  // everything else was cloned unchanged by `pack`
  return packed as Value;
}

function isPackedInt(packed: unknown): packed is Pick<Int, 'kind' | 'value'> {
  return typeof packed === 'object' && packed !== null && 'kind' in packed && 'value' in packed;
}
