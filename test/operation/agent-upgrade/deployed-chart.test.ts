import test from 'ava';
import { deployedChart } from '../../../src/operation/agent-upgrade/deployed-chart.ts';
import type { Release } from '../../../src/release/release.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function releaseOf(metadata: object): Release {
  return {
    ...{ name: 'agent', namespace: 'agents', version: 1, manifest: '', info: { status: 'deployed' } },
    chart: {
      metadata: { apiVersion: 'v2', name: 'helm-agent', version: '1.0.0', ...metadata },
      lock: null,
      templates: [{ name: 'templates/a.yaml', data: base64('kind: ConfigMap') }],
      values: { replicas: 1, image: { tag: '' } },
      schema: base64('{"type":"object"}'),
      files: [{ name: 'empty', data: null }],
    },
  };
}

test('the chart of a release has its metadata, defaults, schema, templates and files', (t) => {
  const { name, version, files, digest } = deployedChart(releaseOf({}));
  t.is(`${name} ${version}`, 'helm-agent 1.0.0');
  t.regex(digest, /^[0-9a-f]{64}$/);
  t.deepEqual(Object.fromEntries(files.map((file) => [file.name, Buffer.from(file.data).toString()])), {
    'Chart.yaml': '{"apiVersion":"v2","name":"helm-agent","version":"1.0.0"}',
    'values.yaml': '{"replicas":1,"image":{"tag":""}}',
    'values.schema.json': '{"type":"object"}',
    'templates/a.yaml': 'kind: ConfigMap',
    empty: '',
  });
});

test('another content has another digest', (t) => {
  const [first, second] = [{}, { description: 'x' }].map((metadata) => deployedChart(releaseOf(metadata)).digest);
  t.not(first, second);
});

test('a chart with dependencies is refused, because a release does not have them', (t) => {
  t.throws(() => deployedChart(releaseOf({ dependencies: [{ name: 'redis' }] })), { code: 'agent_not_upgradable' });
});
