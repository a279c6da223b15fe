import test from 'ava';
import {
  applyAs,
  configMap,
  deployment,
  deploymentRef,
  documents,
  edit,
  editLists,
  manifest,
  mapRef,
  remove,
  service,
} from './manifests.ts';
import { useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const modes = ['true', 'false'];

for (const mode of modes) {
  const flag = `--server-side=${mode}`;

  test(`keeps what others added to objects, ${flag}`, equal, {
    charts: {
      one: documents(configMap('map', { a: '1', b: '2' }), deployment('web')),
      two: documents(
        configMap('map', { a: '2', b: '2' }),
        deployment('web', { container: { image: 'localhost/app:2' } }),
      ),
    },
    steps: [
      `${install} ${flag}`,
      edit(mapRef('map'), { data: { theirs: 'x' }, metadata: { labels: { theirs: 'x' }, annotations: { note: 'y' } } }),
      edit(deploymentRef('web'), {
        spec: { minReadySeconds: 3, template: { metadata: { annotations: { restarted: 'now' } } } },
      }),
      'upgrade site @two',
      'rollback site',
    ],
  });

  test(`meets changes of others in fields of the chart, ${flag}`, equal, {
    charts: { one: configMap('map', { a: '1', b: '2' }), two: configMap('map', { a: '1', b: '3' }) },
    steps: [
      `${install} ${flag}`,
      edit(mapRef('map'), { data: { a: 'edited' } }),
      'upgrade site @one',
      'upgrade site @two',
      'rollback site 1',
      'history site -o json',
    ],
  });

  test(`deletes fields that the chart no longer has, ${flag}`, equal, {
    charts: {
      one: documents(
        configMap('map', { a: '1', b: '2' }, { labels: { one: '1', two: '2' }, annotations: { note: 'n' } }),
        deployment('web', {
          minReadySeconds: 2,
          revisionHistoryLimit: 3,
          container: { env: [{ name: 'A', value: '1' }] },
        }),
      ),
      two: documents(configMap('map', { a: '1' }, { labels: { two: '2' } }), deployment('web')),
      three: documents(manifest('v1', 'ConfigMap', 'map'), deployment('web', { replicas: null })),
    },
    steps: [`${install} ${flag}`, 'upgrade site @two', 'upgrade site @three', 'rollback site 1'],
  });

  test(`a field that another client has removed comes back, ${flag}`, equal, {
    charts: { one: configMap('map', { a: '1', b: '2' }), two: configMap('map', { a: '1', b: '2', c: '3' }) },
    steps: [`${install} ${flag}`, edit(mapRef('map'), { data: { a: null } }), 'upgrade site @two', 'rollback site'],
  });

  test(`merges containers, ports, variables and volumes by their keys, ${flag}`, equal, {
    charts: {
      one: deployment('web', {
        container: {
          ports: [{ containerPort: 80 }, { containerPort: 81, protocol: 'UDP' }],
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
          args: ['a', 'b'],
        },
      }),
      two: deployment('web', {
        container: {
          ports: [{ containerPort: 81, protocol: 'UDP', name: 'named' }, { containerPort: 82 }],
          env: [
            { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'C', value: '3' },
          ],
          args: ['c'],
        },
      }),
    },
    steps: [
      `${install} ${flag}`,
      editLists(deploymentRef('web'), {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'main', env: [{ name: 'THEIRS', value: 'x' }], ports: [{ containerPort: 90 }] },
                { name: 'sidecar', image: 'localhost/app:1' },
              ],
              volumes: [{ name: 'theirs', emptyDir: {} }],
              tolerations: [{ key: 'theirs', operator: 'Exists' }],
            },
          },
        },
      }),
      'upgrade site @two',
      'rollback site',
    ],
  });

  test(`creates objects again that another client has deleted, ${flag}`, equal, {
    charts: {
      one: documents(configMap('map', { a: '1' }), configMap('other'), service('web')),
      two: documents(configMap('map', { a: '2' }), service('web')),
    },
    steps: [
      `${install} ${flag}`,
      remove(mapRef('map')),
      remove(mapRef('other')),
      'upgrade site @two',
      remove(mapRef('map')),
      'rollback site',
      remove(mapRef('map')),
      'uninstall site',
    ],
  });

  test(`renames objects, and changes their kind, ${flag}`, equal, {
    charts: {
      one: documents(configMap('map', { a: '1' }), service('web'), deployment('old')),
      two: documents(manifest('v1', 'Secret', 'map', { stringData: { a: '1' } }), service('web2'), deployment('new')),
    },
    steps: [`${install} ${flag}`, 'upgrade site @two', 'rollback site', 'uninstall site'],
  });

  test(`changes the ports of a Service, ${flag}`, equal, {
    charts: {
      one: service('web', {
        ports: [
          { port: 80, name: 'http' },
          { port: 443, name: 'https', targetPort: 'tls' },
        ],
      }),
      two: service('web', {
        ports: [
          { port: 443, name: 'https', targetPort: 8443 },
          { port: 53, name: 'dns', protocol: 'UDP' },
        ],
      }),
      three: service('web', { clusterIP: 'None' }),
    },
    steps: [`${install} ${flag}`, 'upgrade site @two', 'upgrade site @three', 'rollback site 1'],
  });

  test(`changes the data of Secrets, ${flag}`, equal, {
    charts: {
      one: manifest('v1', 'Secret', 'keys', { stringData: { a: '1', b: '2' }, data: { c: 'Mw==' } }),
      two: manifest('v1', 'Secret', 'keys', { stringData: { a: '4' }, data: { c: 'NQ==' } }),
      three: manifest('v1', 'Secret', 'keys', { data: { a: 'Ng==' }, type: 'kubernetes.io/other' }),
    },
    steps: [`${install} ${flag}`, 'upgrade site @two', 'upgrade site @three', 'rollback site 1', 'get all site'],
  });

  test(`refuses to change fields that are immutable, ${flag}`, equal, {
    charts: {
      one: documents(configMap('map'), deployment('web'), service('web')),
      selector: documents(
        configMap('map'),
        deployment('web', { selector: { matchLabels: { app: 'other' } } }),
        service('web'),
      ),
      address: documents(
        configMap('map', { a: '1' }),
        service('web', { clusterIP: '10.96.255.254' }),
        configMap('new'),
      ),
      both: documents(
        deployment('web', { selector: { matchLabels: { app: 'other' } } }),
        service('web', { clusterIP: '10.96.255.254' }),
      ),
    },
    steps: [
      `${install} ${flag}`,
      'upgrade site @selector',
      'upgrade site @address --cleanup-on-fail',
      'upgrade site @both',
      'rollback site 1',
      'history site -o json',
    ],
  });

  test(`replaces an object of the same API in another version, ${flag}`, equal, {
    kinds: [['autoscaling/v2', 'HorizontalPodAutoscaler']],
    charts: {
      one: manifest('autoscaling/v1', 'HorizontalPodAutoscaler', 'web', {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 70,
        },
      }),
      two: manifest('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          maxReplicas: 4,
          metrics: [
            { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 60 } } },
          ],
        },
      }),
    },
    steps: [`${install} ${flag}`, 'upgrade site @two', 'rollback site', 'uninstall site'],
  });
}

test('meets fields that another manager has applied', equal, {
  charts: {
    one: configMap('map', { a: '1', b: '2' }),
    two: configMap('map', { a: '2', c: '3' }),
    three: configMap('map', { b: '4' }),
  },
  steps: [
    install,
    applyAs('other', mapRef('map'), { data: { a: '1', b: '2', theirs: 'x' } }),
    'upgrade site @two',
    'upgrade site @two --force-conflicts',
    'upgrade site @three',
    'rollback site 1',
    'rollback site 1 --force-conflicts',
  ],
});

test('goes from server-side to client-side and back', equal, {
  charts: {
    one: configMap('map', { a: '1', b: '2' }),
    two: configMap('map', { a: '2', c: '3' }),
    three: configMap('map', { d: '4' }),
  },
  steps: [
    install,
    'upgrade site @two --server-side=false',
    edit(mapRef('map'), { data: { c: 'edited' } }),
    'upgrade site @three',
    'upgrade site @one --server-side=true',
    'upgrade site @two --server-side=auto',
    'rollback site 2',
    'rollback site 1 --server-side=false',
    'get metadata site -o json',
  ],
});

test('replaces by force', equal, {
  charts: {
    one: documents(configMap('map', { a: '1', b: '2' }), service('web'), deployment('web')),
    two: documents(
      configMap('map', { a: '2' }),
      service('web', { ports: [{ port: 81 }] }),
      deployment('web', { minReadySeconds: 1 }),
    ),
    immutable: deployment('web', { selector: { matchLabels: { app: 'other' } } }),
  },
  steps: [
    `${install} --server-side=false`,
    edit(mapRef('map'), { data: { theirs: 'x' }, metadata: { annotations: { theirs: 'x' } } }),
    'upgrade site @two --force-replace',
    'upgrade site @immutable --force-replace',
    'rollback site 1 --force-replace',
    'upgrade site @two --force-replace --server-side=true',
    'upgrade site @two --force-conflicts --server-side=false',
  ],
});

test('scaled by an autoscaler', equal, {
  charts: {
    one: deployment('web'),
    two: deployment('web', { container: { image: 'localhost/app:2' } }),
    three: deployment('web', { replicas: undefined }),
  },
  steps: [
    install,
    ({ cluster, namespace }) =>
      cluster.mergePatch(
        { ...deploymentRef('web'), namespace },
        { spec: { paused: true, replicas: 2 } },
        { fieldManager: 'autoscaler' },
      ),
    'upgrade site @two',
    'upgrade site @three',
    'upgrade site @two --force-conflicts',
  ],
});
