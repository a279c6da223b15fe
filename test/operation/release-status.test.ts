import type { Cluster } from '../../src/objects/cluster.ts';
import { releaseStatus } from '../../src/operation/release-status.ts';
import { configMap } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest } from './world.ts';

const test = sandboxTest();
const names = ['a', 'b', 'c', 'd', 'e'];
const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n';
const chart = textChart({
  ...Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name)])),
  'service.yaml': service,
});

/** Returns the cluster with the kinds of the objects that are read, each with its request. */
function noting(cluster: Cluster): { cluster: Cluster; requests: string[] } {
  const requests: string[] = [];
  return {
    requests,
    cluster: {
      ...cluster,
      get(ref, signal) {
        requests.push(`get ${ref.kind}`);
        return cluster.get(ref, signal);
      },
      list(query, signal) {
        if (query.kind !== 'Secret') requests.push(`list ${query.kind}`);
        return cluster.list(query, signal);
      },
    },
  };
}

test('reads many objects of a kind by one list', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const { cluster, requests } = noting(world.cluster);
  const { resources } = await releaseStatus(world.context({ cluster }), { namespace: world.namespace, releaseName });
  t.deepEqual(resources.map(({ name }) => name).sort(), [...names, 'web']);
  t.true(resources.every(({ status }) => status === 'Current'));
  t.deepEqual(
    requests.filter((request) => !/Endpoint|Event/.test(request)),
    ['list ConfigMap', 'get Service'],
  );
});

test('an object that cannot be read is unknown, and the others are not', async (t) => {
  const world = newWorld(t, chart);
  await world.install(chart);
  const cluster: Cluster = {
    ...world.cluster,
    get(ref, signal) {
      if (ref.kind !== 'Service') return world.cluster.get(ref, signal);
      return Promise.reject(Object.assign(new Error('services "web" is forbidden'), { code: 'forbidden' }));
    },
  };
  const { resources } = await releaseStatus(world.context({ cluster }), { namespace: world.namespace, releaseName });
  const texts = resources.map(({ name, status, reason = '' }) => `${name} ${status} ${reason}`.trim());
  t.deepEqual(texts.sort(), [...names.map((name) => `${name} Current`), 'web Unknown services "web" is forbidden']);
});
