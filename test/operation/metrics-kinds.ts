import type { KubeObject } from '../../src/objects/object.ts';

const definition = (kind: string, plural: string, scope: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${plural}.metrics.k8s.io`,
    // the API server asks for it in groups of Kubernetes
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'metrics.k8s.io',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope,
    versions: [
      {
        ...{ name: 'v1beta1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

/** Definitions of the kinds of the metrics API, for clusters without a metrics server. */
export const metricsKinds = [
  definition('NodeMetrics', 'nodes', 'Cluster'),
  definition('PodMetrics', 'pods', 'Namespaced'),
];
