import type { Chart } from '../chart/chart.ts';
import type { ValueMap } from '../go/value.ts';
import type { CrdFile } from './manifest/crds.ts';
import type { RenderRequest } from './render-request.ts';
import type { Rendered } from './rendered.ts';

/**
 * Renders charts. Errors have a `code`, and a `position` if a template causes them.
 */
export interface Renderer {
  render(request: RenderRequest, signal: AbortSignal): Promise<Rendered>;
  /** Returns the CRDs of the chart, then of the subcharts that these values enable. */
  crds(chart: Chart, values: ValueMap, signal: AbortSignal): Promise<CrdFile[]>;
}
