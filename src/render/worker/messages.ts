import type { Capabilities } from '../scope/capabilities.ts';
import type { ReleaseFacts } from '../scope/chart-templates.ts';
import type { RenderLimits } from '../limits.ts';
import type { LookupAnswers, LookupKey } from '../scope/lookup-table.ts';
import type { RenderNotice } from '../notice.ts';
import type { Rendered, RenderedTemplates, RenderOptions } from '../render-chart.ts';
import type { RenderPosition } from '../render-error.ts';
import type { PackedChart, PackedValues } from './wire-values.ts';

/** What a render worker is given when it starts. */
export interface WorkerSetup {
  limits: RenderLimits;
  /** See progress-board.ts. */
  board: SharedArrayBuffer;
}

/** What a render worker is asked. */
export interface WorkerRequest {
  chart: PackedChart;
  values: PackedValues;
  release: ReleaseFacts;
  capabilities: Capabilities;
  /** Absent where no cluster is asked. */
  lookups?: LookupAnswers;
  options: RenderOptions;
  /** All of it, what a post-renderer gets (see `renderTemplates`), or the texts of the templates only (see `renderFiles`). */
  wanted: 'rendered' | 'templates' | 'files';
}

export type WorkerAnswer =
  | { type: 'rendered'; rendered: Omit<Rendered, 'chart'> & { chart: PackedChart } }
  | { type: 'templates'; templates: Omit<RenderedTemplates, 'chart'> & { chart: PackedChart } }
  | { type: 'files'; files: ReadonlyMap<string, string> }
  /** Templates asked for these: render again with the answers. */
  | { type: 'missing'; lookups: LookupKey[] }
  | { type: 'failed'; code: string; message: string; position?: RenderPosition }
  /** Something is wrong in this program. */
  | { type: 'defect'; error: Error };

/** An answer, and what Helm logs on the way to it. */
export type WorkerReply = WorkerAnswer & { notices: readonly RenderNotice[] };
