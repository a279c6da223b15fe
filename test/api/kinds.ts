import test, { type ExecutionContext } from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { type Environment, eventually, newNamespace, refusal, uniqueName } from './environment.ts';

const item = {
  type: 'object',
  properties: { name: { type: 'string' }, value: { type: 'string' } },
  required: ['name'],
};
const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    keyed: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    whole: { type: 'array', items: { type: 'string' } },
  },
};

/** Returns a CustomResourceDefinition in the given group. */
function definition(group: string): KubeObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

/** Discovery and custom resources. */
export function kinds(open: () => Environment): void {
  const defineWidgets = async (t: ExecutionContext): Promise<string> => {
    const { cluster } = open();
    const group = `${uniqueName('suite')}.example.com`;
    await cluster.create(definition(group));
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `widgets.${group}` };
    t.teardown(() => cluster.delete(ref));
    await eventually('the definition is established', 30, async () => {
      const { conditions } = ((await cluster.get(ref))?.['status'] ?? {}) as {
        conditions?: { type: string; status: string }[] | null;
      };
      return conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ? true : undefined;
    });
    await eventually('the kind is served', 30, async () => {
      try {
        return await cluster.resourceKind(`${group}/v1`, 'Widget');
      } catch {
        return undefined;
      }
    });
    return group;
  };

  test('capabilities have the version, the group versions and their kinds', async (t) => {
    const { version, apiVersions } = await open().cluster.capabilities();
    t.is(version.major, '1');
    t.is(version.minor, '35');
    t.regex(version.gitVersion, /^v1\.35\./);
    const expected = [
      'v1',
      'v1/Pod',
      'v1/Secret',
      'apps/v1',
      'apps/v1/Deployment',
      'apps/v1/Scale',
      'batch/v1/CronJob',
      'autoscaling/v2/HorizontalPodAutoscaler',
      'networking.k8s.io/v1/Ingress',
      'policy/v1/PodDisruptionBudget',
      'rbac.authorization.k8s.io/v1/ClusterRole',
    ];
    for (const name of expected) t.true(apiVersions.includes(name), name);
    t.false(apiVersions.includes('policy/v1beta1'));
    t.deepEqual(apiVersions, [...new Set(apiVersions)].sort());
  });

  test('resourceKind returns the plural and scope of a kind, and fails for an unknown one', async (t) => {
    const { cluster } = open();
    t.deepEqual(await cluster.resourceKind('apps/v1', 'Deployment'), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      resource: 'deployments',
      namespaced: true,
    });
    t.like(await cluster.resourceKind('rbac.authorization.k8s.io/v1', 'ClusterRole'), {
      resource: 'clusterroles',
      namespaced: false,
    });
    const error = await refusal(t, cluster.resourceKind('apps/v1', 'Nothing'));
    t.is(error.code, 'unknown_kind');
    t.is(error.message, 'no matches for kind "Nothing" in version "apps/v1"');
  });

  test('both discovery formats have the same resources', async (t) => {
    const { raw } = open();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = (await raw('GET', '/apis', { headers: { accept } })).body as unknown as AggregatedList;
    t.is((aggregated as unknown as { kind: string }).kind, 'APIGroupDiscoveryList');
    const group = aggregated.items.find(({ metadata }) => metadata.name === 'apps');
    const inOne = group?.versions.flatMap(({ resources }) => resources.map(({ resource }) => resource)).sort();
    const { body } = await raw('GET', '/apis/apps/v1');
    const list = body as unknown as { kind: string; groupVersion: string; resources: { name: string }[] };
    t.like(list, { kind: 'APIResourceList', groupVersion: 'apps/v1' });
    t.deepEqual(
      inOne,
      list.resources
        .map(({ name }) => name)
        .filter((name) => !name.includes('/'))
        .sort(),
    );
    const groups = (await raw('GET', '/apis')).body as unknown as { kind: string; groups: { name: string }[] };
    t.is(groups.kind, 'APIGroupList');
    t.true(groups.groups.some(({ name }) => name === 'apps'));
  });

  test('OpenAPI has the fieldValidation parameter, which kubectl looks for before it applies', async (t) => {
    const { body } = await open().raw('GET', '/openapi/v3');
    const { paths } = body as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    const url = paths['apis/apps/v1']?.serverRelativeURL ?? '';
    const document = (await open().raw('GET', url)).body as unknown as {
      paths: Record<string, { patch?: { parameters: { name: string }[] } }>;
    };
    const operation = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    t.true(operation?.parameters.some(({ name }) => name === 'fieldValidation'));
  });

  test('a CustomResourceDefinition adds a kind, and its objects are deleted with it', async (t) => {
    const { cluster } = open();
    const group = await defineWidgets(t);
    const namespace = await newNamespace(t, open());
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w', namespace }, spec: { size: 3 } };
    const created = await cluster.create(widget);
    t.like(created, { spec: { size: 3 }, metadata: { generation: 1 } });
    t.true((await cluster.capabilities()).apiVersions.includes(`${group}/v1/Widget`));
    const [listed] = await cluster.list({ apiVersion: `${group}/v1`, kind: 'Widget' });
    t.like(listed, { kind: 'Widget', metadata: { name: 'w' } });

    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: `widgets.${group}` };
    await cluster.delete(ref);
    await eventually('the definition is gone', 60, async () => ((await cluster.get(ref)) ? undefined : true));
    const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
    const status = await eventually('the kind is no longer served', 30, async () => {
      const response = await open().raw('GET', path);
      // The server stops serving it with a delay.
      return response.status === 200 ? undefined : response.status;
    });
    t.is(status, 404);
  });

  test('lists of a custom resource merge according to its schema', async (t) => {
    const { cluster } = open();
    const group = await defineWidgets(t);
    const namespace = await newNamespace(t, open());
    const widget = (spec: object): KubeObject => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name: 'w', namespace },
      spec,
    });
    await cluster.apply(widget({ keyed: [{ name: 'a', value: '1' }], whole: ['x'] }), { fieldManager: 'other' });
    const keyed = [{ name: 'b', value: '2' }];
    const applied = await cluster.apply(widget({ keyed, whole: ['y'] }), { fieldManager: 'helm', force: true });
    t.deepEqual(applied['spec'], { keyed: [{ name: 'a', value: '1' }, ...keyed], whole: ['y'] });
  });

  test('a watch from an expired version gets a single event, 410 Expired', async (t) => {
    const group = await defineWidgets(t);
    const event = await eventually('the server has its watch cache for the new kind', 30, async () => {
      const path = `/apis/${group}/v1/widgets?watch=true&resourceVersion=1&timeoutSeconds=2`;
      const { status, text } = await open().raw('GET', path);
      return status === 429 ? undefined : (JSON.parse(text) as { type: string; object: { message: string } });
    });
    t.like(event, { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    t.regex(event.object.message, /^too old resource version: 1 \(\d+\)$/);
  });
}

interface AggregatedList {
  items: { metadata: { name: string }; versions: { resources: { resource: string }[] }[] }[];
}
