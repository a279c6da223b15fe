import test from 'ava';
import type { Chart } from '../../src/chart/chart.ts';
import type { Value } from '../../src/go/value.ts';
import { createEngines } from '../../src/render/engines.ts';
import { renderChart } from '../../src/render/render-chart.ts';
import type { RenderOptions } from '../../src/render/render-input.ts';
import { knownApiVersions } from '../../src/render/scope/api-versions.ts';
import { parseKubeVersion } from '../../src/render/scope/capabilities.ts';
import { defaultHelmVersion } from '../../src/render/scope/helm-version.ts';
import { fixedHost } from '../support/host.ts';

const engine = createEngines(fixedHost);

function chart(name: string, template: string, options: { engine?: string; dependencies?: Chart[] } = {}): Chart {
  const { engine: wanted, dependencies = [] } = options;
  return {
    metadata: {
      apiVersion: 'v2',
      name,
      version: '1.0.0',
      ...(wanted !== undefined && { annotations: { 'helm-agent/engine': wanted } }),
    },
    values: new Map<string, Value>([['greeting', 'hello']]),
    templates: [{ name: 'templates/a.yaml', data: Buffer.from(template) }],
    files: [],
    dependencies,
    digest: `${name} ${template}`,
  };
}

function render(root: Chart, options: RenderOptions = {}): string {
  const release = { name: 'rel', namespace: 'ns', revision: 1, isInstall: true, isUpgrade: false };
  const capabilities = {
    kubeVersion: parseKubeVersion('v1.35.0'),
    apiVersions: knownApiVersions,
    helmVersion: defaultHelmVersion,
  };
  return renderChart({ chart: root, values: new Map(), release, capabilities, options }, engine).manifest;
}

test('renders a chart with the engine that it names, and a subchart with its own', (t) => {
  const child = chart('child', 'kind: B\ntext: {{ Values.greeting }} {{ Release.Name }}\n', { engine: 'nunjucks' });
  const root = chart('root', 'kind: A\ntext: {{ .Values.greeting | upper }}\n', { dependencies: [child] });
  const manifest = render(root, { allowNunjucks: true });
  t.regex(manifest, /text: HELLO/);
  t.regex(manifest, /text: hello rel/);
});

test('rejects a Nunjucks chart or subchart unless Nunjucks is allowed', (t) => {
  const child = chart('child', 'kind: B\n', { engine: 'nunjucks' });
  t.throws(() => render(chart('root', 'kind: A\n', { dependencies: [child] })), {
    code: 'engine_forbidden',
    message: /chart child .*--allow-nunjucks/,
  });
});

test('names an unknown engine in the error', (t) => {
  t.throws(() => render(chart('root', 'kind: A\n', { engine: 'jinja' })), {
    code: 'engine_unknown',
    message: /"jinja"/,
  });
});

test('treats __proto__ and constructor as ordinary keys', (t) => {
  const root = chart(
    'root',
    'kind: A\nkeys: {{ keys .Values | sortAlpha | join " " }} {{ .Values.__proto__ }} {{ .Values.toString }}|\n',
  );
  root.values = new Map<string, Value>([
    ['__proto__', 'p'],
    ['constructor', 'c'],
  ]);
  t.regex(render(root), /keys: __proto__ constructor p \|/);
  t.is(({} as Record<string, unknown>)['p'], undefined);
});
