import test from 'ava';
import { configMap, createNamespace, deployment, documents, manifest, service } from './manifests.ts';
import { type Intervention, useScenarios } from './scenario.ts';

const equal = await useScenarios();

const install = 'install site @one --create-namespace';
const modes = ['true', 'false'];

const deleteDefinition: Intervention = ({ cluster, namespace }) =>
  cluster.delete({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: `widgets.${namespace}.example.com`,
  });

for (const mode of modes) {
  test(`objects in other namespaces, and the namespaces, --server-side=${mode}`, equal, {
    namespaces: ['a', 'b'],
    clusterKinds: [['v1', 'Namespace']],
    charts: {
      one: documents(
        manifest('v1', 'Namespace', 'NAMESPACE-a', { metadata: { labels: { team: 'x' } } }),
        configMap('map', { a: '1' }, { namespace: 'NAMESPACE-a' }),
        configMap('map', { own: '1' }),
      ),
      two: documents(
        manifest('v1', 'Namespace', 'NAMESPACE-a', { metadata: { labels: { team: 'y' } } }),
        manifest('v1', 'Namespace', 'NAMESPACE-b'),
        configMap('map', { a: '2' }, { namespace: 'NAMESPACE-a' }),
        configMap('map', { b: '1' }, { namespace: 'NAMESPACE-b' }),
      ),
      three: documents(
        manifest('v1', 'Namespace', 'NAMESPACE-a'),
        configMap('moved', {}, { namespace: 'NAMESPACE-a' }),
      ),
    },
    steps: [`${install} --server-side=${mode}`, 'upgrade site @two', 'upgrade site @three', 'uninstall site'],
  });

  test(`objects of many kinds, --server-side=${mode}`, equal, {
    kinds: [
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
      ['networking.k8s.io/v1', 'NetworkPolicy'],
      ['policy/v1', 'PodDisruptionBudget'],
      ['apps/v1', 'StatefulSet'],
      ['apps/v1', 'DaemonSet'],
      ['batch/v1', 'CronJob'],
      ['v1', 'PersistentVolumeClaim'],
      ['v1', 'LimitRange'],
    ],
    clusterKinds: [
      ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
      ['scheduling.k8s.io/v1', 'PriorityClass'],
      ['storage.k8s.io/v1', 'StorageClass'],
      ['networking.k8s.io/v1', 'IngressClass'],
    ],
    charts: { one: manyKinds('1'), two: manyKinds('2'), three: documents(configMap('map')) },
    steps: [
      `${install} --server-side=${mode}`,
      'upgrade site @two',
      'rollback site',
      'upgrade site @three',
      'rollback site 2',
      'uninstall site',
    ],
  });

  test(`custom resources whose definition is in crds/, --server-side=${mode}`, equal, {
    kinds: [],
    clusterKinds: [['apiextensions.k8s.io/v1', 'CustomResourceDefinition']],
    charts: {
      one: {
        manifest: widget('a', { size: 1, list: [{ name: 'x' }] }),
        files: { 'crds/widgets.yaml': definition('v1') },
      },
      two: {
        manifest: documents(widget('a', { size: 2, list: [{ name: 'y' }, { name: 'x' }] }), widget('b', {})),
        files: { 'crds/widgets.yaml': definition('v1', 'v2') },
      },
      three: configMap('map'),
    },
    steps: [
      'install site @one --create-namespace --skip-crds',
      `${install} --server-side=${mode}`,
      ({ cluster, namespace }) =>
        cluster.mergePatch(
          { apiVersion: `${namespace}.example.com/v1`, kind: 'Widget', namespace, name: 'a' },
          { spec: { theirs: 'x' }, metadata: { labels: { theirs: 'x' } } },
          { fieldManager: 'someone' },
        ),
      'upgrade site @two',
      'get manifest site',
      'upgrade site @three',
      'rollback site 2',
      'uninstall site',
    ],
    teardown: deleteDefinition,
  });

  test(`manifests that the API server or helm refuses, --server-side=${mode}`, equal, {
    charts: {
      one: configMap('map', { a: '1' }),
      field: deployment('web', { unknownField: 1 }),
      nested: deployment('web', { container: { imagePullPolcy: 'Always' } }),
      type: deployment('web', { replicas: 'many' }),
      value: service('web', { ports: [{ port: 99999 }] }),
      label: configMap('map', {}, { labels: { a: 'not a label' } }),
      kind: manifest('v1', 'Nothing', 'x'),
      group: manifest('example.com/v9', 'Nothing', 'x'),
      nameless: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n',
      kindless: 'apiVersion: v1\nmetadata: { name: x }\n',
      versionless: 'kind: ConfigMap\nmetadata: { name: x }\n',
      text: 'just text\n',
      list: '- a\n- b\n',
      duplicate: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, name: z }\n',
      namespace: configMap('map', {}, { namespace: 'nowhere-NAMESPACE' }),
    },
    steps: [
      ...[
        ...['field', 'nested', 'type', 'value', 'label', 'kind', 'group', 'nameless'],
        ...['kindless', 'versionless', 'text', 'list', 'duplicate', 'namespace'],
      ].flatMap((name) => [
        `install site @${name} --create-namespace --server-side=${mode}`,
        'uninstall site --ignore-not-found',
      ]),
      `${install} --server-side=${mode}`,
      ...['field', 'type', 'value', 'kind', 'nameless', 'text', 'duplicate'].map((name) => `upgrade site @${name}`),
      'history site -o json',
    ],
  });
}

/** Returns a definition of Widgets in a group of the side. */
function definition(...versions: string[]): string {
  const group = 'NAMESPACE.example.com';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return manifest('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`, {
    spec: {
      group,
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  });
}

function widget(name: string, spec: object): string {
  return manifest('NAMESPACE.example.com/v1', 'Widget', name, { spec });
}

function manyKinds(revision: string): string {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: revision === '1' ? ['get'] : ['get', 'list'] }];
  const subjects = [{ kind: 'ServiceAccount', name: 'account', namespace: 'NAMESPACE' }];
  const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const selector = { matchLabels: { app: 'web' } };
  const spec = { containers: [{ name: 'main', image: `localhost/app:${revision}` }] };
  const template = { metadata: { labels: { app: 'web' } }, spec };
  const rbac = 'rbac.authorization.k8s.io/v1';
  const nowhere = { ...template, spec: { ...spec, nodeSelector: { none: 'such' } } };
  const metadata = { labels: { revision } };
  return documents(
    manifest('v1', 'ServiceAccount', 'account', { metadata, automountServiceAccountToken: false }),
    manifest(rbac, 'Role', 'role', { metadata, rules }),
    manifest(rbac, 'RoleBinding', 'role', { metadata, roleRef: roleRef('Role', 'role'), subjects }),
    manifest(rbac, 'ClusterRole', 'NAMESPACE-role', { metadata, rules }),
    manifest(rbac, 'ClusterRoleBinding', 'NAMESPACE-role', {
      roleRef: roleRef('ClusterRole', 'NAMESPACE-role'),
      subjects,
    }),
    manifest('scheduling.k8s.io/v1', 'PriorityClass', 'NAMESPACE-class', { metadata, value: 7 }),
    manifest('storage.k8s.io/v1', 'StorageClass', 'NAMESPACE-class', { metadata, provisioner: 'example.com/none' }),
    manifest('networking.k8s.io/v1', 'IngressClass', 'NAMESPACE-class', {
      metadata,
      spec: { controller: 'example.com/none' },
    }),
    manifest('networking.k8s.io/v1', 'NetworkPolicy', 'web', {
      metadata,
      spec: { podSelector: selector, policyTypes: ['Ingress'] },
    }),
    manifest('policy/v1', 'PodDisruptionBudget', 'web', { spec: { selector, minAvailable: Number(revision) } }),
    manifest('apps/v1', 'StatefulSet', 'web', { spec: { replicas: 0, serviceName: 'web', selector, template } }),
    manifest('apps/v1', 'DaemonSet', 'web', { spec: { selector, template: nowhere } }),
    manifest('batch/v1', 'CronJob', 'web', {
      spec: {
        schedule: `${revision} 0 1 1 *`,
        suspend: true,
        jobTemplate: { spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } },
      },
    }),
    manifest('v1', 'PersistentVolumeClaim', 'data', {
      metadata,
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'NAMESPACE-class',
      },
    }),
    manifest('v1', 'LimitRange', 'limits', { spec: { limits: [{ type: 'Container', max: { cpu: revision } }] } }),
    service('web'),
    deployment('web', { container: { image: `localhost/app:${revision}` } }),
  );
}

test('a definition among the templates, and its resource', equal, {
  clusterKinds: [['apiextensions.k8s.io/v1', 'CustomResourceDefinition']],
  charts: {
    one: definition('v1'),
    both: documents(definition('v1'), widget('a', {})),
    two: documents(definition('v1', 'v2'), widget('a', { size: 1 })),
    gone: configMap('map'),
  },
  steps: [
    'install site @both --create-namespace',
    install,
    'upgrade site @two',
    'upgrade site @two',
    'upgrade site @gone',
    'rollback site',
    'uninstall site',
  ],
  teardown: deleteDefinition,
});

test('a definition that was applied client-side, and changes', equal, {
  clusterKinds: [['apiextensions.k8s.io/v1', 'CustomResourceDefinition']],
  charts: {
    one: { manifest: configMap('map'), files: { 'crds/widgets.yaml': definition('v1') } },
    two: { manifest: configMap('map'), files: { 'crds/widgets.yaml': definition('v1', 'v2') } },
  },
  steps: [`${install} --server-side=false`, 'uninstall site', 'install site @two'],
  teardown: deleteDefinition,
});

test('an object with a uid', equal, {
  charts: {
    one: configMap('map'),
    uid: manifest('v1', 'ConfigMap', 'map', { metadata: { uid: 'abc' }, data: { a: '3' } }),
  },
  steps: [install, 'upgrade site @uid'],
});

test('lists of objects, empty documents, comments and sources', equal, {
  charts: {
    one: `# only a comment
---
---
# a comment
${configMap('map', { a: '1' })}
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: listed }, data: { a: "1" } }
  - { apiVersion: v1, kind: Service, metadata: { name: listed }, spec: { ports: [{ port: 80 }] } }
---
apiVersion: v1
kind: ConfigMapList
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: in-list }, data: { a: "1" } }
`,
    two: `{{ if false }}
${configMap('never')}
{{ end }}
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: listed }, data: { a: "2" } }
---

`,
    empty: '{{ if false }}\nkind: Nothing\n{{ end }}\n',
  },
  steps: [
    install,
    'upgrade site @two',
    'upgrade site @empty',
    'get manifest site',
    'rollback site 1',
    'uninstall site --keep-history',
    'get all site',
  ],
});

test('the same object twice', equal, {
  charts: {
    // helm creates objects of a kind at the same time, so one of two different ones wins by chance
    one: documents(configMap('map', { a: '1' }), configMap('map', { a: '1' })),
    two: documents(configMap('map', { a: '3' }), configMap('map', { a: '4' })),
    single: configMap('map', { a: '1' }),
  },
  steps: [
    install,
    'install site @single --create-namespace --replace',
    'upgrade site @two',
    'rollback site',
    'uninstall site',
  ],
});

test('metadata that the API server sets', equal, {
  charts: {
    one: manifest('v1', 'ConfigMap', 'map', {
      metadata: { creationTimestamp: null, generation: 3, selfLink: '/x' },
      data: { a: '1' },
    }),
    version: manifest('v1', 'ConfigMap', 'map', { metadata: { resourceVersion: '1' }, data: { a: '2' } }),
    status: deployment('web', {}).replace(/\}\n$/, ',"status":{"replicas":5}}\n'),
    fields: manifest('v1', 'ConfigMap', 'map', { metadata: { managedFields: [{ manager: 'me' }] }, data: { a: '4' } }),
  },
  steps: [install, 'upgrade site @version', 'upgrade site @status', 'upgrade site @fields', 'history site -o json'],
});

test('numbers, booleans, dates and null in data', equal, {
  charts: {
    one: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map, labels: null, annotations: { a: "1", b: null } }\ndata: { a: "1", b: null, c: "" }\nbinaryData: { d: AAEC }\nimmutable: false\n',
    number: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\ndata: { a: 1 }\n',
    boolean: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map, annotations: { a: true } }\n',
    yes: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\ndata: { a: yes, c: 2020-01-01 }\n',
    anchors:
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\ndata: &d\n  a: |\n    text\n  b: >-\n    folded\n    text\n',
  },
  steps: [
    install,
    'upgrade site @number',
    'upgrade site @boolean',
    'upgrade site @yes',
    'upgrade site @anchors',
    'get manifest site',
  ],
});

test('a quota that has no room', equal, {
  kinds: [['v1', 'ResourceQuota']],
  charts: {
    one: documents(
      manifest('v1', 'ResourceQuota', 'quota', { spec: { hard: { 'count/services': '0' } } }),
      configMap('map'),
    ),
    two: documents(
      manifest('v1', 'ResourceQuota', 'quota', { spec: { hard: { 'count/services': '0' } } }),
      service('web'),
    ),
  },
  steps: [
    install,
    async ({ cluster, namespace }) => {
      for (;;) {
        const quota = await cluster.get({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'quota' });
        if ((quota?.status as { used?: object } | undefined)?.used) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    'upgrade site @two',
    'history site -o json',
  ],
});

test('values from files, in order', equal, {
  charts: {
    one: {
      manifest: configMap('map', { all: '{{ .Values | toJson | b64enc }}' }),
      files: { 'values.yaml': 'a: 1\nmap: { x: 1, y: 2 }\nlist: [1, 2]\ntext: default\n' },
    },
  },
  values: {
    first: 'a: 2\nmap: { y: 3, z: 4 }\nlist: [3]\n',
    second: 'a: 3.0\nmap: { x: null }\ntext: 0755\nbig: 12345678901234\n',
  },
  steps: [
    `${install} -f %first -f %second --set a=4`,
    'get values site -o json',
    'get values site --all -o yaml',
    'upgrade site @one -f %second --reuse-values',
    'upgrade site @one -f %first --reset-then-reuse-values --set-string map.x=5',
    'upgrade site @one',
    'upgrade site @one -f %second',
    'rollback site 2',
    'get values site -o json',
    'get values site --all',
  ],
});

test('a namespace that others have labelled', equal, {
  clusterKinds: [['v1', 'Namespace']],
  charts: { one: configMap('map') },
  steps: [
    createNamespace,
    ({ cluster, namespace }) =>
      cluster.mergePatch(
        { apiVersion: 'v1', kind: 'Namespace', name: namespace },
        { metadata: { labels: { name: 'theirs' } } },
        { fieldManager: 'someone' },
      ),
    install,
  ],
});
