import type { Chart } from '../chart/chart.ts';
import type { Capabilities } from './capabilities.ts';
import type { ReleaseFacts } from './chart-templates.ts';
import type { CrdFile } from './crds.ts';
import type { LookupAnswers, LookupKey } from './lookup-table.ts';
import type { Rendered } from './render-chart.ts';
import type { RenderErrorCode, RenderPosition } from './render-error.ts';

/** What a render worker is asked. Values are packed: see wire-values.ts. */
export type WorkerRequest =
  | { type: 'crds'; chart: Chart; values: ReadonlyMap<string, unknown> }
  | {
      type: 'render';
      chart: Chart;
      values: ReadonlyMap<string, unknown>;
      release: ReleaseFacts;
      capabilities: Capabilities;
      /** Absent where no cluster is asked. */
      lookups?: LookupAnswers;
      options: RenderOptions;
    };

export interface RenderOptions {
  /** NOTES.txt of subcharts too. Default false. */
  subchartNotes?: boolean;
  /** Do not hold the values against values.schema.json. Default false. */
  skipSchemaValidation?: boolean;
  strict?: boolean;
  lint?: boolean;
}

export type WorkerAnswer =
  | { type: 'crds'; crds: CrdFile[] }
  | { type: 'rendered'; rendered: Rendered; warnings: string[] }
  /** Templates asked for these: render again with the answers. */
  | { type: 'missing'; lookups: LookupKey[] }
  | { type: 'failed'; code: RenderErrorCode | (string & {}); message: string; position?: RenderPosition };
