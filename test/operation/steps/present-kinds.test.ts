import { load } from 'js-yaml';
import { connectCluster } from '../../../src/kube/cluster.ts';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { eventually } from '../../support/eventually.ts';
import { configMap, crd } from '../manifests.ts';
import { textChart } from '../text-renderer.ts';
import { newWorld, sandboxTest } from '../world.ts';

const test = sandboxTest();

/** Runs with the cluster as another client sees it. */
async function asOther(kubeconfig: string, run: (cluster: Cluster) => Promise<void>): Promise<void> {
  const other = connectCluster({ text: kubeconfig });
  try {
    await run(other);
  } finally {
    await other.close();
  }
}

async function waitForKind(cluster: Cluster, apiVersion: string, isServed: boolean): Promise<void> {
  await eventually(`${apiVersion} is ${isServed ? 'served' : 'not served'}`, async () => {
    return (await cluster.capabilities()).apiVersions.includes(apiVersion) === isServed;
  });
}

test.serial('renders a chart with the API versions that another client has added since discovery', async (t) => {
  const chart = textChart(({ capabilities: { apiVersions } }) => ({
    'a.yaml': configMap(apiVersions.includes('e.io/v1/Sprocket') ? 'with-sprockets' : 'without'),
  }));
  const world = newWorld(t, chart);
  await world.cluster.recentCapabilities();
  await asOther(t.context.kubeconfig, async (other) => {
    await other.create(load(crd('sprocket')) as KubeObject);
    await waitForKind(other, 'e.io/v1/Sprocket', true);
  });
  await world.install(chart);
  t.truthy(await world.find('ConfigMap', 'with-sprockets'));
});

test.serial('renders a chart again that fails without an API version that was added since discovery', async (t) => {
  const chart = textChart(({ capabilities: { apiVersions } }) => {
    if (!apiVersions.includes('e.io/v1/Flange')) throw new Error('install the CRDs first');
    return { 'a.yaml': configMap('a') };
  });
  const world = newWorld(t, chart);
  await world.cluster.recentCapabilities();
  await asOther(t.context.kubeconfig, async (other) => {
    await other.create(load(crd('flange')) as KubeObject);
    await waitForKind(other, 'e.io/v1/Flange', true);
  });
  t.is((await world.install(chart)).info.status, 'deployed');
});

test.serial('refuses a custom resource whose CRD another client has deleted, before anything changes', async (t) => {
  const chart = textChart(
    {
      'a.yaml': configMap('a'),
      'w.yaml': 'apiVersion: e.io/v1\nkind: Washer\nmetadata: {name: w}\nspec: {size: 1}\n',
    },
    { usesCapabilities: false },
  );
  const world = newWorld(t, chart);
  const definition = load(crd('washer')) as KubeObject;
  await world.cluster.create(definition);
  await waitForKind(world.cluster, 'e.io/v1/Washer', true);
  await asOther(t.context.kubeconfig, async (other) => {
    await other.delete({ ...definition, name: definition.metadata.name });
    await waitForKind(other, 'e.io/v1/Washer', false);
  });
  await t.throwsAsync(world.install(chart), { code: 'invalid_manifest', message: /no matches for kind "Washer"/ });
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});
