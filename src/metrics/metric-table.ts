/** One metric. */
export interface MetricDefinition {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  /**
   * All values that each label can have, so that the number of time series has a bound. `fixed`: a
   * single value, which the process has from its start to its end. Default: no labels.
   */
  labels?: Readonly<Record<string, readonly string[] | 'fixed'>>;
  /** Upper bounds of a histogram, in seconds. Default: `durationBuckets`. */
  buckets?: readonly number[];
}

/** The metrics of a process, by name. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>;

type NamesOf<Table extends MetricTable, Kind extends MetricDefinition['kind']> = {
  [Name in keyof Table & string]: Table[Name]['kind'] extends Kind ? Name : never;
}[keyof Table & string];

type LabelsOf<Definition extends MetricDefinition> = {
  [Label in keyof Definition['labels']]: Definition['labels'][Label] extends readonly (infer Value extends string)[]
    ? Value
    : string;
};

/** Takes the measurements of a process. Never throws, and never waits. */
export interface Recorder<Table extends MetricTable> {
  /** Adds one to a counter. */
  count<Name extends NamesOf<Table, 'counter'>>(name: Name, labels: LabelsOf<Table[Name]>): void;
  /** Sets a gauge, or a counter without labels that something else counts. */
  set<Name extends NamesOf<Table, 'gauge' | 'counter'>>(name: Name, labels: LabelsOf<Table[Name]>, value: number): void;
  /** Adds a duration in seconds to a histogram. */
  observe<Name extends NamesOf<Table, 'histogram'>>(name: Name, labels: LabelsOf<Table[Name]>, seconds: number): void;
  /** Calls back before each scrape, to set gauges. Returns a function that ends that. */
  onScrape(update: () => void): () => void;
}

/** Upper bounds from a read to a release that is waited for, in seconds. */
export const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];

const doNothing = () => undefined;

/** Returns a recorder that drops everything. */
export function silentRecorder<Table extends MetricTable>(): Recorder<Table> {
  return { count: doNothing, set: doNothing, observe: doNothing, onScrape: () => doNothing };
}
