import test from 'ava';
import type { Chart } from '../../../src/chart/chart.ts';
import { knownApiVersions } from '../../../src/render/scope/api-versions.ts';
import { createAttempt } from '../../../src/render/worker/attempt-render.ts';
import { createThreadedRenderer } from '../../../src/render/worker/threaded-renderer.ts';
import { fixedHost, steppingHost } from '../../support/host.ts';
import { threadModule } from '../../support/program.ts';

const noThread = new URL('file:///there-is-no-such-module');
const workerUrl = threadModule('render-worker');
const inThread = createThreadedRenderer({ workerUrl, attempt: createAttempt(fixedHost) });
test.after.always(() => inThread.close());

function requestFor(template: string, annotations: Record<string, string> = {}) {
  const chart: Chart = {
    metadata: { apiVersion: 'v2', name: 'web', version: '1.0.0', annotations },
    values: new Map(),
    templates: [{ name: 'templates/t.yaml', data: Buffer.from(template) }],
    files: [],
    dependencies: [],
    digest: `chart ${template}`,
  };
  const release = { name: 'rel', namespace: 'ns', revision: 1, isInstall: true, isUpgrade: false };
  return {
    chart,
    values: new Map<string, never>(),
    release,
    capabilities: { version: { gitVersion: 'v1.35.0' }, apiVersions: knownApiVersions },
  };
}

const signal = new AbortController().signal;

test('a small chart is rendered without a thread', async (t) => {
  const renderer = createThreadedRenderer({ workerUrl: noThread, attempt: createAttempt(fixedHost) });
  t.teardown(() => renderer.close());
  const { manifest } = await renderer.render(requestFor('a: {{ .Release.Name }}'), signal);
  t.is(manifest, '---\n# Source: web/templates/t.yaml\na: rel\n');
});

test('a chart that nests deeper than the main stack allows is rendered in a thread', async (t) => {
  const deep = `{{ define "d" }}{{ if lt . 900 }}{{ include "d" (add . 1) }}{{ else }}end{{ end }}{{ end }}a: {{ include "d" 0 }}`;
  const { manifest } = await inThread.render(requestFor(deep), signal);
  t.true(manifest.endsWith('a: end\n'));
});

test('a chart that fails is rendered in a thread, which knows the reason', async (t) => {
  const failing = requestFor('{{ fail "no" }}');
  await t.throwsAsync(inThread.render(failing, signal), { code: 'render_failed', message: /: no$/ });
});

test('a chart that takes long is left to a thread', async (t) => {
  const renderer = createThreadedRenderer({ workerUrl, attempt: createAttempt(steppingHost()) });
  t.teardown(() => renderer.close());
  const long = 'a: {{ range $i := until 2000 }}{{ if eq $i 1999 }}end{{ end }}{{ end }}';
  const { manifest } = await renderer.render(requestFor(long), signal);
  t.true(manifest.endsWith('a: end\n'));
});

test('a chart for Nunjucks is left to a thread', async (t) => {
  const chart = requestFor('a: {{ Release.Name }}', { 'helm-agent/engine': 'nunjucks' });
  await t.throwsAsync(inThread.render(chart, signal), { code: 'engine_forbidden' });
});
