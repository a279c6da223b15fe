import test from 'ava';
import {
  configMap,
  create,
  createNamespace,
  documents,
  edit,
  manifest,
  mapRef,
  owned,
  remove,
  service,
} from './manifests.ts';
import { useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const policy = (value: string) => ({ annotations: { 'helm.sh/resource-policy': value } });

for (const value of ['keep', 'Keep', ' keep ', 'other', '']) {
  test(`the resource policy ${JSON.stringify(value)}`, equal, {
    charts: {
      one: documents(
        configMap('map', { a: '1' }, policy(value)),
        service('web'),
        configMap('plain'),
        configMap('later'),
      ),
      two: documents(service('web'), configMap('later', {}, policy(value))),
      three: documents(configMap('map', { a: '2' }, policy(value)), configMap('plain')),
    },
    steps: [
      install,
      'upgrade site @two',
      'upgrade site @three',
      'rollback site 1',
      'uninstall site',
      'install site @one',
      'uninstall site --keep-history',
    ],
  });
}

test('lists what it keeps in the order in which it deletes', equal, {
  charts: {
    one: documents(
      manifest('v1', 'ServiceAccount', 'a', { metadata: policy('keep') }),
      configMap('z', {}, policy('keep')),
      configMap('b', {}, policy('keep')),
      manifest('v1', 'Service', 'c', { metadata: policy('keep'), spec: { ports: [{ port: 80 }] } }),
      manifest('v1', 'Secret', 'd', { metadata: policy('keep') }),
      configMap('e'),
    ),
  },
  steps: [install, 'uninstall site'],
});

test('the policy that another client sets on the live object', equal, {
  charts: { one: documents(configMap('map'), configMap('other')), two: configMap('other', { a: '1' }) },
  steps: [
    install,
    edit(mapRef('map'), { metadata: policy('keep') }),
    'upgrade site @two',
    'rollback site',
    'uninstall site',
  ],
});

const others: [name: string, metadata: object][] = [
  ['without an owner', {}],
  ['of another release', owned('other')],
  ['of a release in another namespace', owned('site', 'elsewhere')],
  ['with only the label', { labels: owned().labels }],
  ['with only the annotations', { annotations: owned().annotations }],
  ['of another manager', { labels: { 'app.kubernetes.io/managed-by': 'someone' }, annotations: owned().annotations }],
  ['of the release', owned()],
];
for (const [name, metadata] of others) {
  test(`finds an object ${name}`, equal, {
    charts: {
      one: documents(configMap('first'), configMap('map', { a: '1' })),
      zero: configMap('first'),
      two: documents(configMap('first', { b: '1' }), configMap('map', { a: '2' }), service('web')),
    },
    steps: [
      createNamespace,
      create(manifest('v1', 'ConfigMap', 'map', { metadata, data: { a: '0', theirs: 'x' } })),
      'install site @one',
      'install site @zero --replace',
      'upgrade site @two',
      'upgrade site @two --take-ownership',
      'uninstall site',
    ],
  });
}

test('takes ownership of several objects client-side', equal, {
  charts: {
    one: documents(configMap('map', { a: '1' }), service('web')),
    two: documents(configMap('map', { a: '2' }), service('web', { ports: [{ port: 81 }] })),
  },
  steps: [
    createNamespace,
    create(manifest('v1', 'ConfigMap', 'map', { metadata: owned('other'), data: { theirs: 'x' } })),
    create(service('web', { ports: [{ port: 8080, name: 'theirs' }] })),
    'install site @one --take-ownership --server-side=false',
    'upgrade site @two',
    'uninstall site',
  ],
});

test('two releases and one object', equal, {
  charts: {
    one: documents(configMap('map', { a: '1' }), configMap('own')),
    other: documents(configMap('map', { a: '2' }), configMap('others')),
  },
  steps: [
    install,
    'install other @other',
    'install other @other --replace --take-ownership',
    'uninstall site',
    'uninstall other',
    'list -o json',
  ],
});

test('an upgrade finds an object that was given to another release', equal, {
  charts: { one: documents(configMap('map', { a: '1' })) },
  steps: [install, edit(mapRef('map'), { metadata: owned('other') }), 'upgrade site @one', 'uninstall site'],
});

test('finds its objects without labels and annotations', equal, {
  charts: { one: documents(configMap('map', { a: '1' })), two: configMap('map', { a: '2' }) },
  steps: [
    install,
    edit(mapRef('map'), {
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': null },
        annotations: { 'meta.helm.sh/release-name': null },
      },
    }),
    'upgrade site @two',
    'rollback site',
    'uninstall site',
  ],
});

test('installs over objects of a release whose records are gone', equal, {
  charts: { one: documents(configMap('map', { a: '1', b: '2' }), service('web')), two: configMap('map', { a: '2' }) },
  steps: [
    install,
    remove({ apiVersion: 'v1', kind: 'Secret', name: 'sh.helm.release.v1.site.v1' }),
    'upgrade site @two',
    'upgrade site @two --install',
    'uninstall site',
  ],
});
