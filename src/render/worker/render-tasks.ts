import type { Chart } from '../../chart/chart.ts';
import { Int, type Value, type ValueMap } from '../../go/value.ts';
import type { RenderInput, RenderOptions, RenderPass } from '../render-input.ts';
import type { PassLookups, PassReply } from '../render-passes.ts';
import type { RenderedTemplates, RenderResult } from '../render-result.ts';

/** Tasks of a thread that renders charts. Each sends lists of `RenderNotice` as parts. */
export interface RenderTasks {
  /** Runs one pass. Returns all of the result, or the input of a post-renderer. */
  render: {
    input: RenderTask & PassLookups & { forPostRender: boolean };
    output: PassReply<Packed<RenderResult> | Packed<RenderedTemplates>>;
  };
  /** Returns only the texts of the templates (see `renderFiles`). */
  renderFiles: { input: RenderTask; output: ReadonlyMap<string, string> };
}

/** Input of a render, as plain data. */
export interface RenderTask extends Pick<RenderInput<PackedChart, PackedValues>, 'chart' | 'values' | 'release'> {
  capabilities: RenderPass['capabilities'];
  options: RenderOptions;
}

/** A result whose chart is packed. */
export type Packed<Result extends { chart: Chart }> = Omit<Result, 'chart'> & { chart: PackedChart };

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
