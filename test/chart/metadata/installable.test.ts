import test from 'ava';
import type { Chart } from '../../../src/chart/chart.ts';
import { requireInstallable } from '../../../src/chart/metadata/installable.ts';
import type { ChartMetadata } from '../../../src/chart/metadata/metadata.ts';

function chart(metadata: Partial<ChartMetadata>, dependencies: Chart[] = []): Chart {
  const named = { apiVersion: 'v2', name: 'c', version: '1.0.0', ...metadata };
  return { metadata: named, values: new Map(), templates: [], files: [], dependencies, digest: '' };
}

test('an application chart with its dependencies is installable', (t) => {
  const dependencies = [{ name: 'db', repository: '' }];
  t.notThrows(() => requireInstallable(chart({ type: 'application', dependencies }, [chart({ name: 'db' })])));
  t.notThrows(() => requireInstallable(chart({})));
});

test('a library chart is refused with the text of Helm', (t) => {
  t.throws(() => requireInstallable(chart({ type: 'library' })), { message: 'library charts are not installable' });
});

test('a chart of a format that does not exist is refused with the text of Helm', (t) => {
  t.throws(() => requireInstallable(chart({ apiVersion: 'v3' })), { message: 'invalid chart apiVersion' });
  t.throws(() => requireInstallable(chart({ apiVersion: 'v9' })), { message: 'unsupported chart version' });
  t.notThrows(() => requireInstallable(chart({ apiVersion: 'v1' })));
});

test('dependencies that are not in charts/ are named', (t) => {
  const dependencies = ['db', 'cache', 'queue'].map((name) => ({ name, repository: '' }));
  const error = t.throws(() => requireInstallable(chart({ dependencies }, [chart({ name: 'cache' })])));
  t.regex(error.message, /found in Chart.yaml, but missing in charts\/ directory: db, queue$/);
});
