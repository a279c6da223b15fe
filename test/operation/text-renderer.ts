import type { Chart } from '../../src/chart/chart.ts';
import type { Renderer } from '../../src/render/renderer.ts';
import type { RenderRequest } from '../../src/render/render-request.ts';
import type { CrdFile } from '../../src/render/manifest/crds.ts';
import { printManifest } from '../../src/render/manifest/documents.ts';
import { sortManifests } from '../../src/render/manifest/sort-manifests.ts';
import { postRendered } from '../../src/render/manifest/post-render.ts';

/** Returns the rendered files of a test's chart by their path below `templates/`. */
export type Template = (request: RenderRequest) => Record<string, string> | Promise<Record<string, string>>;

export interface TextChart {
  chart: Chart;
  template: Template;
  crds?: Record<string, string>;
  notes?: string;
}

/** Returns a chart whose templates are a function, for use with {@link textRenderer}. */
export function textChart(
  template: Template | Record<string, string>,
  rest: Omit<TextChart, 'chart' | 'template'> = {},
): TextChart {
  const chart: Chart = {
    metadata: { apiVersion: 'v2', name: 'web', version: '1.2.3' },
    values: new Map(),
    templates: [],
    files: [],
    dependencies: [],
    digest: '',
  };
  return { chart, template: typeof template === 'function' ? template : () => template, ...rest };
}

/** Returns a renderer of these charts, without a template language. */
export function textRenderer(charts: readonly TextChart[]): Renderer & { requests: RenderRequest[] } {
  const requests: RenderRequest[] = [];
  const find = (chart: Chart): TextChart => {
    const found = charts.find((candidate) => candidate.chart === chart);
    if (!found) throw new Error('the renderer does not have this chart');
    return found;
  };
  return {
    requests,
    crds: (chart) => Promise.resolve(crdFiles(find(chart))),
    async render(request) {
      requests.push(request);
      const { chart, template, notes = '' } = find(request.chart);
      const files = Object.entries(await template(request)).map(
        ([path, text]) => [`web/templates/${path}`, text] as const,
      );
      const { postRender, postRenderStrategy } = request;
      const own = new Map(files);
      const changed = postRender ? await postRendered(own, postRender, postRenderStrategy) : own;
      const sorted = sortManifests(changed, (path) => new Error(`${path} is not YAML`));
      const manifest = sorted.manifests.map(({ name, content }) => printManifest(name, content)).join('');
      return { ...sorted, chart, manifest, notes, crds: [], warnings: [] };
    },
  };
}

function crdFiles({ crds = {} }: TextChart): CrdFile[] {
  return Object.entries(crds).map(([name, text]) => ({
    name: `crds/${name}`,
    filename: `web/crds/${name}`,
    data: new TextEncoder().encode(text),
  }));
}
