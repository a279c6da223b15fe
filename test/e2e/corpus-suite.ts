import { join } from 'node:path';
import test from 'ava';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { eventually } from '../api/environment.ts';
import { readCorpusCase } from './corpus-case.ts';
import { differences } from './differences.ts';
import { type Harness, openHarness } from './open-harness.ts';
import { performed } from './performed.ts';

/** A cluster to install charts in. */
export interface CorpusCluster {
  kubeconfig: string;
  /** Completes Jobs whose image the cluster cannot pull, until the signal aborts. */
  completeJobs?: (cluster: KubeCluster, namespace: string, signal: AbortSignal) => Promise<void>;
  close?: () => Promise<void>;
}

const releaseName = 'rel';
const namespace = 'testns';
const release = { releaseName, namespace };

/**
 * Checks that installed charts of the corpus create the objects that helm renders. The environment
 * variable CORPUS names the corpus's folder.
 */
export function corpusSuite(where: string, open: () => Promise<CorpusCluster>): void {
  const corpus = process.env['CORPUS'];
  for (const chartName of ['podinfo', 'ingress-nginx', 'metrics-server']) {
    const title = `installs ${chartName} on ${where} with the objects that helm renders`;
    if (!corpus) {
      test.skip(`${title} (needs CORPUS)`, (t) => t.pass());
      continue;
    }
    test.serial(title, async (t) => {
      t.timeout(240_000);
      const environment = await open();
      const { kubeconfig, completeJobs } = environment;
      const harness = await openHarness({ kubeconfig, localCharts: join(corpus, 'charts') });
      const { plane, agentId, cluster } = harness;
      t.teardown(async () => {
        await cleanUp(harness);
        await harness.close();
        await environment.close?.();
      });
      await cleanUp(harness); // an interrupted run may have left objects behind
      const { chart, objects } = readCorpusCase(corpus, chartName);

      const installing = new AbortController();
      const command = plane.install(agentId, { ...release, chartName: chart, wait: false, timeout: '60s' });
      const jobs = completeJobs?.(cluster, namespace, installing.signal);
      const installed = await performed(command);
      installing.abort();
      await jobs;
      t.is(installed.outcome, 'deployed', JSON.stringify(installed.result));

      const live = await liveObjects(cluster, objects);
      t.deepEqual([...live.keys()].toSorted(), objects.map(identity).toSorted());
      for (const object of objects) t.deepEqual(differences(object, live.get(identity(object))), [], identity(object));
    });
  }
}

/** Returns the release's objects of the expected kinds. */
async function liveObjects(cluster: KubeCluster, expected: KubeObject[]): Promise<Map<string, KubeObject>> {
  const kinds = new Map(expected.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]));
  const lists = await Promise.all(Array.from(kinds.values(), (kind) => cluster.list(kind)));
  const owned = lists.flat().filter(({ metadata: { annotations = {} } }) => {
    return (
      annotations['meta.helm.sh/release-name'] === releaseName &&
      annotations['meta.helm.sh/release-namespace'] === namespace
    );
  });
  return new Map(owned.map((object) => [identity(object), object]));
}

function identity({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

async function cleanUp({ plane, agentId, cluster }: Harness): Promise<void> {
  await performed(plane.uninstall(agentId, { ...release, wait: true }));
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  await cluster.delete(ref);
  await eventually('the namespace is gone', 60, async () =>
    (await cluster.get(ref)) === undefined ? true : undefined,
  );
}
