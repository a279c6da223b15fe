import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { loadAll } from 'js-yaml';
import { credentialOf, formatAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { eventually, openEnvironment, uniqueName } from '../api/environment.ts';
import { tokensOf } from '../control-plane/support/credentials.ts';
import { installed, rawAgent } from '../control-plane/support/raw-agent.ts';
import { serveChart } from './chart-repository.ts';
import { helmJson, type ListedRelease } from './helm.ts';
import { buildImage } from './image.ts';
import { contentsOf, freeNamespace } from './namespaces.ts';
import { performed } from './performed.ts';
import { kubeconfigText } from './real-cluster.ts';

const { E2E_IMAGE_BASE: base, E2E_LOAD_IMAGE: loadCommand, E2E_HOST_FROM_POD: host } = process.env;
const title = 'installs a chart with the image in a pod of helm-agent.yaml';
const planeTitle = 'the control plane of deploy/control-plane.yaml keeps a result when its pod is killed';
const needs = '(needs E2E_IMAGE_BASE, E2E_LOAD_IMAGE and E2E_HOST_FROM_POD)';

if (!base || !loadCommand || !host) {
  test.skip(`${title} ${needs}`, (t) => t.pass());
  test.skip(`${planeTitle} ${needs}`, (t) => t.pass());
} else {
  const building = buildImage(base, loadCommand, 'e2e');

  test(planeTitle, async (t) => {
    t.timeout(300_000);
    const environment = openEnvironment(kubeconfigText());
    t.teardown(() => environment.close());
    const { cluster, raw } = environment;
    const image = await building;
    const namespace = freeNamespace(t, cluster);
    const folder = await mkdtemp(join(tmpdir(), 'helm-agent-volume-'));
    t.teardown(() => rm(folder, { recursive: true }));
    await cluster.create(volumeFor(namespace, folder));
    t.teardown(() => cluster.delete({ apiVersion: 'v1', kind: 'PersistentVolume', name: namespace }));
    const [users, token] = [uniqueName('users'), uniqueName('token')];
    const text = readFileSync(new URL('../../deploy/control-plane.yaml', import.meta.url), 'utf8')
      .replaceAll('helm-agent-control-plane', namespace)
      .replace(/image: .*/, `image: ${image}`);
    for (const object of loadAll(text) as KubeObject[]) await cluster.apply(object, { fieldManager: 'e2e' }); // the file contains objects
    const stringData = { agents: formatAgentsFile([credentialOf('edge-1', token)]), users };
    await cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tokens', namespace }, stringData });

    const first = await readyPod(cluster, namespace);
    const agent = await rawAgent(`ws://${first.address}:8088`, {}, token);
    const headers = { authorization: `Bearer ${users}`, 'content-type': 'application/json' };
    const payload = { releaseName: 'web', chartName: 'web' };
    const init = { method: 'POST', headers, body: JSON.stringify({ type: 'install_release', key: 'k', payload }) };
    t.is((await fetch(`http://${first.address}:8088/api/agents/edge-1/commands`, init)).status, 202);
    agent.send('result', installed, 'k');
    const command = async (address: string) => {
      const response = await fetch(`http://${address}:8088/api/commands/k`, { headers });
      const found = (await response.json()) as { state: string };
      return found.state === 'done' ? found : undefined;
    };
    const before = await eventually('the command is done', 20, () => command(first.address));

    await raw('DELETE', `/api/v1/namespaces/${namespace}/pods/${first.name}`, { body: { gracePeriodSeconds: 0 } });
    const second = await readyPod(cluster, namespace, first.name);
    t.deepEqual(await command(second.address), before);
    t.like(before, { state: 'done', result: installed });
  });

  test(title, async (t) => {
    t.timeout(300_000);
    const cluster = connectCluster({ text: kubeconfigText() });
    t.teardown(() => cluster.close());
    const image = await building;
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

/**
 * Returns a volume for the claim of a control plane, for a cluster without storage classes whose
 * node is this machine.
 */
function volumeFor(namespace: string, path: string): KubeObject {
  const isNode = { key: 'kubernetes.io/os', operator: 'Exists' };
  return {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: namespace } },
    spec: {
      capacity: { storage: '4Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isNode] }] } },
    },
  };
}

/** Returns a pod of a control plane that is ready, and is not the one before. */
function readyPod(
  cluster: KubeCluster,
  namespace: string,
  before?: string,
): Promise<{ name: string; address: string }> {
  return eventually('a pod is ready', 90, async () => {
    for (const { metadata, status } of await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace })) {
      const { podIP, conditions = [] } = status as PodStatus;
      const isReady = conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
      if (metadata.name !== before && isReady && podIP !== undefined) return { name: metadata.name, address: podIP };
    }
    return undefined;
  });
}

interface PodStatus {
  podIP?: string;
  conditions?: { type: string; status: string }[];
}

/** Returns the objects of helm-agent.yaml with the test's settings and a name of their own. */
function agentManifest({ name, image, controlPlane }: { name: string; image: string; controlPlane: string }) {
  const text = readFileSync(new URL('../../helm-agent.yaml', import.meta.url), 'utf8')
    .replaceAll('namespace: helm-agent', `namespace: ${name}`)
    .replace('wss://control-plane.example', `${controlPlane}\n  HELM_AGENT_INSECURE_TRANSPORT: "true"`)
    .replace('my-cluster', name)
    .replace('metadata,private', 'metadata') // the repository of the test has a private address
    .replace(/image: .*/, `image: ${image}`);
  const objects = loadAll(text) as KubeObject[]; // the file contains objects
  return objects.map((object) =>
    object.metadata.namespace === undefined ? { ...object, metadata: { ...object.metadata, name } } : object,
  );
}
