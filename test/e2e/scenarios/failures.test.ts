import test from 'ava';
import { configMap, deployment, documents, edit, hookMap, manifest, mapRef, service } from './manifests.ts';
import { useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const broken = configMap('Not_A_Name');
const atomic = '--rollback-on-failure --timeout 60s';

test('an installation that the API server refuses', equal, {
  charts: { one: documents(configMap('map'), broken, service('web')), two: configMap('map', { a: '1' }) },
  steps: [
    install,
    'status site',
    'list -o json',
    'history site -o json',
    'install site @two',
    'upgrade site @one',
    'upgrade site @two',
    'history site -o json',
    'uninstall site',
  ],
});

test('an atomic installation that the API server refuses', equal, {
  charts: { one: documents(configMap('map'), broken, service('web')) },
  steps: [`${install} ${atomic}`, 'status site', 'list -o json'],
});

test('an upgrade that the API server refuses, and the next ones', equal, {
  charts: {
    one: documents(configMap('map', { a: '1' }), configMap('old')),
    two: documents(configMap('map', { a: '2' }), configMap('new'), broken),
    three: documents(configMap('map', { a: '3' })),
    four: documents(configMap('map', { a: '4' }), configMap('new', { a: '4' })),
  },
  steps: [
    install,
    'upgrade site @two',
    'upgrade site @two --cleanup-on-fail',
    'upgrade site @three',
    'upgrade site @four',
    'rollback site',
    'rollback site 2',
    'history site -o json',
    'uninstall site',
  ],
});

test('an atomic upgrade that the API server refuses', equal, {
  charts: {
    one: documents(configMap('map', { a: '1' }), configMap('old'), hookMap('before', 'pre-rollback')),
    two: documents(configMap('map', { a: '2' }), configMap('new'), broken),
  },
  steps: [
    install,
    `upgrade site @two ${atomic}`,
    `upgrade site @two ${atomic} --cleanup-on-fail`,
    `upgrade site @two ${atomic} --no-hooks`,
    'history site -o json',
    'uninstall site --keep-history',
  ],
});

test('an atomic upgrade without a deployed revision', equal, {
  charts: {
    one: documents(configMap('map', { a: '1' }), broken),
    two: documents(configMap('map', { a: '2' }), broken),
  },
  steps: [install, `upgrade site @two ${atomic}`, `upgrade site @two --install ${atomic}`, 'history site -o json'],
});

test('a failed upgrade between two good ones', equal, {
  charts: {
    one: documents(configMap('map', { a: '1', b: '1' }), configMap('first')),
    two: documents(configMap('map', { a: '2', c: '1' }), configMap('second'), broken),
    three: documents(configMap('map', { a: '3' }), configMap('third')),
  },
  steps: [
    install,
    'upgrade site @two',
    'upgrade site @three',
    'rollback site 2',
    'rollback site 1',
    'history site -o json',
  ],
});

test('rolls back to revisions that failed, or were pruned, or never were', equal, {
  charts: {
    one: configMap('map', { a: '1' }),
    bad: documents(configMap('map', { a: '2' }), broken),
    two: configMap('map', { a: '3' }),
  },
  steps: [
    install,
    'upgrade site @bad',
    'upgrade site @two',
    'rollback site 2',
    'rollback site',
    'rollback site 1 --history-max 2',
    'rollback site 1',
    'rollback site 0',
    'rollback site 99',
    'rollback site one',
    'history site -o json',
  ],
});

test('waits for pods that do not start', equal, {
  charts: {
    one: deployment('web', { replicas: 1, container: { image: 'localhost/missing:1' } }),
    good: configMap('map', { a: '1' }),
  },
  steps: [
    `${install} --wait --timeout 3s`,
    'upgrade site @good --wait --timeout 30s',
    'upgrade site @one --wait --timeout 3s --rollback-on-failure',
    'rollback site 1 --wait --timeout 3s',
    'uninstall site --wait --timeout 30s',
  ],
});

test('an uninstallation whose objects are not gone in time', equal, {
  charts: {
    one: documents(
      manifest('v1', 'ConfigMap', 'map', { metadata: { finalizers: ['example.com/wait'] } }),
      configMap('other'),
    ),
  },
  steps: [
    install,
    'uninstall site --wait --timeout 2s --keep-history',
    'history site -o json',
    edit(mapRef('map'), { metadata: { finalizers: null } }),
    'uninstall site',
  ],
});

test('templates that fail', equal, {
  charts: {
    one: configMap('map', { a: '1' }),
    required: configMap('map', { a: '{{ required `a value is required` .Values.missing }}' }),
    fail: '{{ fail `this chart is broken` }}',
    missing: configMap('map', { a: '{{ .Values.a.b.c }}' }),
    unknown: configMap('map', { a: '{{ unknownFunction }}' }),
    unclosed: '{{ if .Values.a }}',
    yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map\n',
    tabs: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: map\n',
    include: configMap('map', { a: '{{ include `nothing` . }}' }),
  },
  steps: [
    ...['required', 'fail', 'missing', 'unknown', 'unclosed', 'yaml', 'tabs', 'include'].map(
      (name) => `install site @${name} --create-namespace`,
    ),
    install,
    ...['required', 'fail', 'missing', 'yaml', 'include'].map((name) => `upgrade site @${name}`),
    'history site -o json',
  ],
});

test('charts that cannot be installed', equal, {
  charts: {
    library: {
      manifest: configMap('map'),
      files: { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\ntype: library\n' },
    },
    newer: {
      manifest: configMap('map'),
      files: { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\nkubeVersion: ">=9.0.0"\n' },
    },
    dependency: {
      manifest: configMap('map'),
      files: {
        'Chart.yaml':
          'apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies: [{ name: other, version: 1.0.0, repository: "https://example.com" }]\n',
      },
    },
    version: { manifest: configMap('map'), files: { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: one\n' } },
    nameless: { manifest: configMap('map'), files: { 'Chart.yaml': 'apiVersion: v2\nversion: 1.0.0\n' } },
    api: { manifest: configMap('map'), files: { 'Chart.yaml': 'apiVersion: v9\nname: app\nversion: 1.0.0\n' } },
    deprecated: {
      manifest: configMap('map'),
      files: { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\ndeprecated: true\n' },
    },
  },
  steps: [
    ...['library', 'newer', 'dependency', 'version', 'nameless', 'api'].map(
      (name) => `install site @${name} --create-namespace`,
    ),
    'install site @deprecated --create-namespace',
    'upgrade site @newer',
    'upgrade site @dependency',
  ],
});

test('an upgrade to a library chart', equal, {
  charts: {
    one: configMap('map'),
    library: {
      manifest: configMap('map'),
      files: { 'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\ntype: library\n' },
    },
  },
  steps: [install, 'upgrade site @library', 'uninstall site'],
});

test('names of releases', equal, {
  charts: { one: configMap('map') },
  steps: [
    'install Site @one',
    'install site_ @one',
    `install ${'a'.repeat(54)} @one`,
    `install ${'a'.repeat(53)} @one --create-namespace`,
    'install a.b @one',
    'status none',
    'get all none',
    'get manifest none',
    'upgrade none @one',
    'rollback none 1',
    'test none',
    'uninstall none --keep-history',
    'list -q',
  ],
});

test('a namespace that does not exist', equal, {
  charts: { one: configMap('map') },
  steps: ['install site @one', 'upgrade site @one --install', 'list', 'uninstall site', 'status site'],
});
