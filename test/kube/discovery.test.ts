import test from 'ava';
import { createDiscovery } from '../../src/kube/discovery.ts';
import { KubeError } from '../../src/kube/kube-error.ts';
import type { Transport } from '../../src/kube/transport.ts';

/** The field `etag` of a document, in place of a header. */
function etagOf(document: unknown): string | undefined {
  return (document as { etag?: string }).etag;
}

/** Serves documents by path. All other paths fail with 503. */
function serving(documents: Record<string, unknown>): { transport: Transport; paths: string[] } {
  const paths: string[] = [];
  const unused = (): never => {
    throw new Error('discovery reads JSON only');
  };
  const json = ({ path }: { path: string }): Promise<unknown> => {
    paths.push(path);
    const document = documents[path];
    if (document === undefined)
      return Promise.reject(
        new KubeError('server_error', 'the server is currently unable to handle the request', { status: 503 }),
      );
    return Promise.resolve(document);
  };
  const versioned = async (request: { path: string; etag?: string | undefined }) => {
    const document = await json(request);
    const etag = etagOf(document);
    return etag !== undefined && etag === request.etag ? 'unchanged' : { document, etag };
  };
  return { transport: { json, versioned, text: unused, stream: unused }, paths };
}

const olderForm = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
      { name: 'metrics.k8s.io', versions: [{ groupVersion: 'metrics.k8s.io/v1beta1' }] },
    ],
  },
  '/api/v1': {
    groupVersion: 'v1',
    resources: [
      { name: 'pods', kind: 'Pod', namespaced: true },
      { name: 'pods/eviction', kind: 'Eviction', namespaced: true },
    ],
  },
  '/apis/apps/v1': {
    groupVersion: 'apps/v1',
    resources: [
      { name: 'deployments/scale', kind: 'Scale', namespaced: true },
      { name: 'deployments', kind: 'Deployment', namespaced: true },
    ],
  },
};

test('reads the older form of discovery group by group', async (t) => {
  const { transport } = serving(olderForm);
  const discovery = createDiscovery(transport);
  t.deepEqual(await discovery.find('apps/v1', 'Deployment'), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    resource: 'deployments',
    namespaced: true,
  });
  const groups = await discovery.refresh();
  t.deepEqual(groups.groupVersions, ['v1', 'apps/v1', 'metrics.k8s.io/v1beta1']);
  t.deepEqual(
    groups.kinds.map(({ kind }) => kind),
    ['Pod', 'Eviction', 'Scale', 'Deployment'],
  );
});

test('reads the other groups if the server of one does not respond, and fails for a kind in that one', async (t) => {
  const discovery = createDiscovery(serving(olderForm).transport);
  t.is((await discovery.find('v1', 'Pod')).resource, 'pods');
  const error = await t.throwsAsync(discovery.find('metrics.k8s.io/v1beta1', 'PodMetrics'), { instanceOf: KubeError });
  t.is(error.code, 'server_error');
  t.regex(error.message, /metrics\.k8s\.io\/v1beta1/);
});

test('treats a group that is stale in the aggregated form like one that does not respond', async (t) => {
  const items = [
    { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale', resources: [] }] },
  ];
  const kind = 'APIGroupDiscoveryList';
  const discovery = createDiscovery(serving({ '/api': { kind, items: [] }, '/apis': { kind, items } }).transport);
  t.deepEqual((await discovery.refresh()).unavailable, ['metrics.k8s.io/v1beta1']);
  await t.throwsAsync(discovery.find('metrics.k8s.io/v1beta1', 'PodMetrics'), { code: 'server_error' });
});

test('reads discovery again for an unknown kind only', async (t) => {
  const { transport, paths } = serving(olderForm);
  const discovery = createDiscovery(transport);
  await discovery.find('v1', 'Pod');
  const once = paths.length;
  await discovery.find('v1', 'Pod');
  await discovery.find('apps/v1', 'Deployment');
  t.is(paths.length, once);
  await t.throwsAsync(discovery.find('v1', 'Eviction'), { code: 'unknown_kind' });
  t.is(paths.length, 2 * once);
});

test('reads nothing to find the kinds that releases are stored in', async (t) => {
  const { transport, paths } = serving({});
  const discovery = createDiscovery(transport);
  t.is((await discovery.find('v1', 'Secret')).resource, 'secrets');
  t.is((await discovery.find('v1', 'ConfigMap')).resource, 'configmaps');
  t.deepEqual(paths, []);
});

const aggregated = (etag: string, groups: Record<string, string>) => ({
  kind: 'APIGroupDiscoveryList',
  etag,
  items: Object.entries(groups).map(([name, kind]) => ({
    metadata: { name },
    versions: [{ version: 'v1', resources: [{ resource: kind.toLowerCase(), responseKind: { kind } }] }],
  })),
});

test('keeps what it knows while the server has the same version of its documents', async (t) => {
  const documents = { '/api': aggregated('a', {}), '/apis': aggregated('b', { 'e.io': 'Widget' }) };
  const discovery = createDiscovery(serving(documents).transport);
  const first = await discovery.refresh();
  t.is(await discovery.refresh(), first);
  documents['/apis'] = aggregated('c', { 'e.io': 'Widget', 'f.io': 'Gadget' });
  t.deepEqual((await discovery.refresh()).groupVersions, ['e.io/v1', 'f.io/v1']);
  t.is((await discovery.find('f.io/v1', 'Gadget')).resource, 'gadget');
});

test('finds the kind of a group that was added meanwhile', async (t) => {
  const documents = { '/api': aggregated('a', {}), '/apis': aggregated('b', {}) };
  const discovery = createDiscovery(serving(documents).transport);
  await discovery.refresh();
  documents['/apis'] = aggregated('c', { 'f.io': 'Gadget' });
  t.is((await discovery.find('f.io/v1', 'Gadget')).apiVersion, 'f.io/v1');
});
