import test from 'ava';
import type { Chart } from '../../../src/chart/chart.ts';
import { requireInstallable } from '../../../src/chart/metadata/installable.ts';
import type { ChartMetadata } from '../../../src/chart/metadata/metadata.ts';

function chart(metadata: Partial<ChartMetadata>, dependencies: Chart[] = []): Chart {
  const named = { apiVersion: 'v2', name: 'c', version: '1.0.0', ...metadata };
  return { metadata: named, values: new Map(), templates: [], files: [], dependencies, digest: '' };
}

test('accepts an application chart with all its dependencies', (t) => {
  const dependencies = [{ name: 'db', repository: '' }];
  t.notThrows(() => requireInstallable(chart({ type: 'application', dependencies }, [chart({ name: 'db' })])));
  t.notThrows(() => requireInstallable(chart({})));
});

test("rejects a library chart with Helm's text", (t) => {
  t.throws(() => requireInstallable(chart({ type: 'library' })), { message: 'library charts are not installable' });
});

test("rejects an unknown apiVersion with Helm's text", (t) => {
  t.throws(() => requireInstallable(chart({ apiVersion: 'v3' })), { message: 'invalid chart apiVersion' });
  t.throws(() => requireInstallable(chart({ apiVersion: 'v9' })), { message: 'unsupported chart version' });
  t.notThrows(() => requireInstallable(chart({ apiVersion: 'v1' })));
});

test('lists the dependencies that are missing in charts/', (t) => {
  const dependencies = ['db', 'cache', 'queue'].map((name) => ({ name, repository: '' }));
  const error = t.throws(() => requireInstallable(chart({ dependencies }, [chart({ name: 'cache' })])));
  t.regex(error.message, /found in Chart.yaml, but missing in charts\/ directory: db, queue$/);
});
