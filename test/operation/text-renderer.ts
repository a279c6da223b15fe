import type { ChartContent } from '../../src/chart/load/chart-content.ts';
import type { ValueMap } from '../../src/go/value.ts';
import { plainObject } from '../../src/release/plain-value.ts';
import { printManifest } from '../../src/render/manifest/documents.ts';
import { postRendered } from '../../src/render/manifest/post-render.ts';
import { readObjects } from '../../src/render/manifest/read-objects.ts';
import { rewriteManifest } from '../../src/render/manifest/rewrite-manifest.ts';
import { sortManifests } from '../../src/render/manifest/sort-manifests.ts';
import type { CrdManifest, ReleaseInput, ReleaseRenderer, ReleaseSettings } from '../../src/render/release-renderer.ts';
import { readSecretValues, readValues } from '../../src/workers/read-values.ts';

/** A request as templates see it. */
type TemplateRequest = Omit<ReleaseInput & ReleaseSettings, 'values'> & { values: ValueMap };

/** Returns the files that a test's chart renders to, by path below templates/. */
export type Template = (request: TemplateRequest) => Record<string, string> | Promise<Record<string, string>>;

export interface TextChart {
  chart: ChartContent;
  template: Template;
  crds?: Record<string, string>;
  notes?: string;
  /** As in `RenderedRelease`. Default: true. */
  usesCapabilities?: boolean;
}

/** Returns a chart whose templates are a function, for use with {@link textRenderer}. */
export function textChart(
  template: Template | Record<string, string>,
  rest: Omit<TextChart, 'chart' | 'template'> = {},
): TextChart {
  const chart: ChartContent = { name: 'web', version: '1.2.3', files: [], digest: '' };
  return { chart, template: typeof template === 'function' ? template : () => template, ...rest };
}

/** Renders the given charts without a template language. */
export function textRenderer(charts: readonly TextChart[]): ReleaseRenderer & { requests: TemplateRequest[] } {
  const requests: TemplateRequest[] = [];
  const find = (chart: ChartContent): TextChart => {
    const found = charts.find((candidate) => candidate.chart === chart);
    if (!found) throw new Error('the renderer does not know this chart');
    return found;
  };
  return {
    requests,
    crds: (chart) => Promise.resolve(crdManifests(find(chart))),
    secretValues: (sources) => Promise.resolve(readSecretValues(sources)),
    rewriteImages: (manifests, rules) =>
      Promise.resolve(manifests.map((manifest) => rewriteManifest(manifest, rules, rules.namespace))),
    readObjects: async (manifest, prefix) => Promise.resolve([...readObjects(manifest, prefix)]),
    async render({ values: given, ...rest }) {
      const request = { ...rest, values: readValues(given).values };
      requests.push(request);
      const { template, notes = '', usesCapabilities = true } = find(request.chart);
      const files = Object.entries(await template(request)).map(
        ([path, text]) => [`web/templates/${path}`, text] as const,
      );
      const { postRender, postRenderStrategy } = request;
      const own = new Map(files);
      const changed = postRender ? await postRendered(own, postRender, postRenderStrategy) : own;
      const { manifests, hooks } = sortManifests(changed, (path) => new Error(`${path} is not YAML`));
      const manifest = manifests.map(({ name, content }) => printManifest(name, content)).join('');
      const metadata = { apiVersion: 'v2', name: 'web', version: '1.2.3' };
      const chart = { metadata, lock: null, templates: [], values: {}, schema: null, files: [] };
      const config = plainObject(request.values);
      return { chart, config, manifest, manifestCount: manifests.length, hooks, notes, warnings: [], usesCapabilities };
    },
  };
}

function crdManifests({ crds = {} }: TextChart): CrdManifest[] {
  return Object.entries(crds).map(([name, text]) => ({
    name: `crds/${name}`,
    objects: [...readObjects(text, `failed to install CRD crds/${name}`)],
  }));
}
