import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { durationBuckets, type MetricDefinition, type MetricTable, type Recorder } from './metric-table.ts';

/** The measurements of a process, and their text for Prometheus. */
export interface Metrics<Table extends MetricTable> {
  recorder: Recorder<Table>;
  /** Media type of the text. */
  contentType: string;
  /** Returns the present values. Calls at the same time share one text. */
  text(): Promise<string>;
}

/** Series of a counter that are shown from the start, so that their first increase is seen. */
const maxInitialSeries = 100;

/** Returns the metrics of a table, without values. */
export function openMetrics<Table extends MetricTable>(table: Table): Metrics<Table> {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, definition] of Object.entries<MetricDefinition>(table)) {
    const { kind, help, labels = {}, buckets = durationBuckets } = definition;
    const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    if (kind === 'histogram') histograms.set(name, new Histogram({ ...options, buckets: [...buckets] }));
    else if (kind === 'gauge') gauges.set(name, new Gauge(options));
    else {
      const counter = new Counter(options);
      counters.set(name, counter);
      const series = seriesOf(definition);
      if (series.length <= maxInitialSeries) for (const one of series) counter.inc(one, 0);
    }
  }
  const updates = new Set<() => void>();
  let current: Promise<string> | undefined;
  return {
    recorder: {
      count: (name, labels) => counters.get(name)?.inc(labels),
      set(name, labels, value) {
        gauges.get(name)?.set(labels, value);
        const counter = counters.get(name);
        counter?.reset();
        counter?.inc(value);
      },
      observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
      onScrape(update) {
        updates.add(update);
        return () => void updates.delete(update);
      },
    },
    contentType: registry.contentType,
    text() {
      current ??= (async () => {
        try {
          for (const update of updates) update();
          return await registry.metrics();
        } finally {
          current = undefined;
        }
      })();
      return current;
    },
  };
}

/** Returns the labels of all series of a metric. */
export function seriesOf({ labels = {} }: MetricDefinition): Record<string, string>[] {
  let series: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    const all = values === 'fixed' ? [''] : values;
    series = all.flatMap((value) => series.map((one) => ({ ...one, [label]: value })));
  }
  return series;
}
