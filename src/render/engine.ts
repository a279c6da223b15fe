import type { ScopedTemplate } from './scope/chart-templates.ts';
import type { RenderLimits } from './limits.ts';
import type { LookupTable } from './scope/lookup-table.ts';
import type { RenderNotice } from './notice.ts';
import type { Watch } from './watch.ts';

/** What a run of an engine works with, besides the templates. */
export interface EngineRun {
  limits: RenderLimits;
  /** Sees what the run does, and can end it. Default none. */
  watch?: Watch;
  /** Absent where no cluster is asked: `lookup` finds nothing. */
  lookups?: LookupTable;
  /** A key that is not there is an error. Default false. */
  strict?: boolean;
  /** `required` and `fail` let pass, for linting. Default false. */
  lint?: boolean;
  /** Whether charts may use Nunjucks. Default false. */
  allowNunjucks?: boolean;
  /** Takes what Helm logs of templates. Default: nobody does. */
  notice?: (notice: RenderNotice) => void;
}

/**
 * Turns the templates of a chart, subcharts' too, into texts by path. Partials (files whose name begins with `_`) are there to be included and have no text of
 * their own. Throws RenderError.
 */
export interface Engine {
  render(templates: readonly ScopedTemplate[], run: EngineRun): Map<string, string>;
}
