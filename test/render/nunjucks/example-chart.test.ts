import test from 'ava';
import { loadDirectory } from '../../../src/chart/load/load-directory.ts';
import { functionMap } from '../../../src/functions/function-map.ts';
import type { Engine } from '../../../src/render/engine.ts';
import { createGoTemplateEngine } from '../../../src/render/gotpl/engine.ts';
import { renderChart } from '../../../src/render/render-chart.ts';
import { parseKubeVersion } from '../../../src/render/scope/capabilities.ts';
import { defaultHelmVersion } from '../../../src/render/scope/helm-version.ts';
import { readYaml } from '../../../src/yaml/read.ts';
import { fixedHost } from '../../support/host.ts';
import { engine, valuesOf } from './render-one.ts';

/** Renders an example chart as release `web`. */
async function render(folder: string, by: Engine, values: string) {
  const chart = await loadDirectory(new URL(`../../../examples/charts/${folder}`, import.meta.url).pathname);
  chart.metadata.name = 'web';
  const input = {
    chart,
    values: valuesOf(values),
    release: { name: 'demo', namespace: 'prod', revision: 3, isInstall: false, isUpgrade: true },
    capabilities: { kubeVersion: parseKubeVersion('v1.33.4'), apiVersions: ['v1'], helmVersion: defaultHelmVersion },
  };
  return renderChart(input, by);
}

const someValues = [
  '',
  'migration: {enabled: false}',
  'args: ["--port", 8080]\nreplicas: 3\ngreeting: \'"quoted": yes\'\n',
];

for (const values of someValues) {
  test(`the Nunjucks example renders what its Go counterpart renders, with values ${JSON.stringify(values)}`, async (t) => {
    const rendered = await render('nunjucks-web', engine, values);
    const counterpart = await render('web', createGoTemplateEngine(functionMap(fixedHost)), values);
    t.is(rendered.manifest, counterpart.manifest);
    t.is(rendered.notes, counterpart.notes);
  });
}

test('renders the Nunjucks example, which is selected by its annotation, to YAML manifests', async (t) => {
  const { chart, manifests, notes } = await render('nunjucks-web', engine, '');
  t.is(chart.metadata.annotations?.['helm-agent/engine'], 'nunjucks');
  t.deepEqual(
    manifests.map(({ kind }) => kind),
    ['ConfigMap', 'Service', 'Deployment', 'Job'],
  );
  for (const { content } of manifests) t.true(readYaml(content) instanceof Map);
  t.regex(notes, /http:\/\/demo-web\.prod:80\//);
});
