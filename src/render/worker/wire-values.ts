import type { Chart } from '../../chart/chart.ts';
import { Int, type Value, type ValueMap } from '../../go/value.ts';

// Charts and values that are sent between threads. `postMessage` clones maps, lists and
// primitives, but loses the class of an integer.

/** Values with integers as plain data, for `postMessage`. */
export type PackedValues = ReadonlyMap<string, unknown>;

/** A chart whose values are packed. */
export interface PackedChart extends Omit<Chart, 'values' | 'dependencies'> {
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
