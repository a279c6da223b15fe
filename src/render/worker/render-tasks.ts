import type { RenderNotice } from '../notice.ts';
import type { RenderPosition } from '../render-error.ts';
import type { RenderInput, RenderOptions } from '../render-request.ts';
import type { Rendered, RenderedTemplates } from '../rendered.ts';
import type { LookupKey, LookupResults } from '../scope/lookup-table.ts';
import type { PackedChart, PackedValues } from './wire-values.ts';

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
