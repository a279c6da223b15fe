import type { Chart } from '../../../src/chart/chart.ts';
import { functionMap } from '../../../src/functions/function-map.ts';
import { toBytes } from '../../../src/go/text.ts';
import { NamedMap, type ValueMap } from '../../../src/go/value.ts';
import type { EngineRun } from '../../../src/render/engine.ts';
import { defaultRenderLimits } from '../../../src/render/limits.ts';
import { createNunjucksEngine } from '../../../src/render/nunjucks/engine.ts';
import { parseKubeVersion } from '../../../src/render/scope/capabilities.ts';
import { chartTemplates, type ScopedTemplate } from '../../../src/render/scope/chart-templates.ts';
import { defaultHelmVersion } from '../../../src/render/scope/helm-version.ts';
import { readYaml } from '../../../src/yaml/read.ts';
import { fixedHost } from '../../support/host.ts';

export const engine = createNunjucksEngine(functionMap(fixedHost));

/** Returns a chart `web` with these templates, by path below templates/, and these files. */
export function chartOf(templates: Record<string, string>, files: Record<string, string> = {}): Chart {
  return {
    metadata: { apiVersion: 'v2', name: 'web', version: '1.2.3' },
    values: new Map(),
    templates: entries(templates, 'templates/'),
    files: entries(files, ''),
    dependencies: [],
    digest: '',
  };
}

function entries(texts: Record<string, string>, folder: string) {
  return Object.entries(texts).map(([name, text]) => ({ name: folder + name, data: toBytes(text) }));
}

/** Returns the templates with the scope of a release `demo` in the namespace `prod`. */
export function scoped(chart: Chart, values: string | ValueMap = new Map()): ScopedTemplate[] {
  const given = typeof values === 'string' ? valuesOf(values) : values;
  const release = { name: 'demo', namespace: 'prod', revision: 1, isInstall: true, isUpgrade: false };
  const kubeVersion = parseKubeVersion('v1.33.4');
  return chartTemplates(chart, given, release, { kubeVersion, apiVersions: ['v1'], helmVersion: defaultHelmVersion });
}

export function valuesOf(yaml: string): ValueMap {
  const value = readYaml(yaml);
  return new NamedMap('common.Values', value instanceof Map ? value : []);
}

export interface Options extends Partial<EngineRun> {
  partials?: Record<string, string>;
  files?: Record<string, string>;
}

/** Renders a chart that has this one template. */
export function renderOne(text: string, values: string | ValueMap = '', options: Options = {}): string {
  const { partials = {}, files = {}, ...run } = options;
  const chart = chartOf({ 'page.yaml': text, ...partials }, files);
  const rendered = engine.render(scoped(chart, values), { limits: defaultRenderLimits, ...run });
  return rendered.get('web/templates/page.yaml') ?? 'not rendered';
}
