import type { RenderLimits } from './limits.ts';
import type { RenderOptions, RenderPass } from './render-input.ts';
import type { ScopedTemplate } from './scope/chart-templates.ts';

/** Options of one run of an engine. */
export interface EngineRun
  extends
    Pick<RenderPass, 'supervisor' | 'lookups' | 'notice'>,
    Pick<RenderOptions, 'strict' | 'lint' | 'allowNunjucks'> {
  limits: RenderLimits;
}

/**
 * Renders the templates of a chart and its subcharts, and returns the texts by path. Partials
 * (files whose name begins with `_`) can be included but have no text of their own. Throws
 * RenderError.
 */
export interface Engine {
  render(templates: readonly ScopedTemplate[], run: EngineRun): Map<string, string>;
}
