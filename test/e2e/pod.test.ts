import test from 'ava';
import { loadAll } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { eventually, uniqueName } from '../api/environment.ts';
import { tokensOf } from '../control-plane/support/credentials.ts';
import { serveChart } from './chart-repository.ts';
import { helmJson, type ListedRelease } from './helm.ts';
import { buildImage } from './image.ts';
import { contentsOf, freeNamespace } from './namespaces.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';

const { E2E_IMAGE_BASE: base, E2E_LOAD_IMAGE: loadCommand, E2E_HOST_FROM_POD: host } = process.env;
const title = 'installs a chart with the image in a pod of helm-agent.yaml';

if (!base || !loadCommand || !host) {
  test.skip(`${title} (needs E2E_IMAGE_BASE, E2E_LOAD_IMAGE and E2E_HOST_FROM_POD)`, (t) => t.pass());
} else {
  test(title, async (t) => {
    t.timeout(300_000);
    const cluster = connectCluster({ text: kubeconfigText() });
    t.teardown(() => cluster.close());
    const image = await buildImage(base, loadCommand);
    const token = uniqueName('token');
    const agentId = freeNamespace(t, cluster); // the name of all objects of the agent
    const plane = new ControlPlane({ authenticate: tokensOf({ [agentId]: token }) });
    t.teardown(() => plane.close());
    const controlPlane = `ws://${host}:${await plane.listen(0, '0.0.0.0')}`;

    for (const object of agentManifest({ name: agentId, image, controlPlane })) {
      if (object.kind === 'ClusterRoleBinding') t.teardown(() => cluster.delete({ ...object, name: agentId }));
      await cluster.apply(object, { fieldManager: 'e2e' });
    }
    const metadata = { name: 'helm-agent-token', namespace: agentId };
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token } });
    const connected = await plane.waitForAgent(agentId, AbortSignal.timeout(90_000));
    t.is(connected.agentId, agentId);

    const namespace = freeNamespace(t, cluster);
    const port = await serveChart(t, fileURLToPath(new URL('fixtures/note', import.meta.url)));
    const installed = await performed(
      plane.install(agentId, {
        ...{ releaseName: 'memo', namespace, values: 'text: from afar' },
        ...{ repoUrl: `http://${host}:${port}`, chartName: 'note', chartVersion: '^1.0.0' },
      }),
    );
    t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));
    const note = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'memo-note' };
    t.like(await cluster.get(note), { data: { text: 'from afar' } });
    const [listed] = await helmJson<ListedRelease[]>('helm4', 'list', '--namespace', namespace);
    t.like(listed, { name: 'memo', status: 'deployed', chart: 'note-1.2.3' });

    const [pod] = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: agentId });
    t.like(pod, {
      spec: {
        securityContext: { runAsNonRoot: true, runAsUser: 65532 },
        containers: { 0: { image, securityContext: { readOnlyRootFilesystem: true } } },
      },
      status: { containerStatuses: { length: 1, 0: { restartCount: 0 } } },
    });

    const uninstalled = await performed(plane.uninstall(agentId, { releaseName: 'memo', namespace }));
    t.is(uninstalled.outcome, 'uninstalled');
    t.deepEqual(await contentsOf(cluster, namespace, [['v1', 'ConfigMap']]), []);

    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: agentId, name: 'helm-agent' };
    await cluster.mergePatch(deployment, { spec: { replicas: 0 } });
    await eventually('the agent is disconnected', 20, () =>
      Promise.resolve(plane.agents().length === 0 ? true : undefined),
    );
  });
}

/** Returns the objects of helm-agent.yaml with the test's settings and a name of their own. */
function agentManifest({ name, image, controlPlane }: { name: string; image: string; controlPlane: string }) {
  const text = readFileSync(new URL('../../helm-agent.yaml', import.meta.url), 'utf8')
    .replaceAll('namespace: helm-agent', `namespace: ${name}`)
    .replace('wss://control-plane.example', `${controlPlane}\n  HELM_AGENT_INSECURE_TRANSPORT: "true"`)
    .replace('my-cluster', name)
    .replace(/image: .*/, `image: ${image}`);
  const objects = loadAll(text) as KubeObject[]; // the file contains objects
  return objects.map((object) =>
    object.metadata.namespace === undefined ? { ...object, metadata: { ...object.metadata, name } } : object,
  );
}
