import type { KubeCluster } from '../../src/kube/cluster.ts';
import { openEnvironment } from '../api/environment.ts';
import { corpusSuite } from './corpus-suite.ts';
import { kubeconfigText } from './real-cluster.ts';

corpusSuite('a real cluster', () => Promise.resolve({ kubeconfig: kubeconfigText(), completeJobs }));

/** Marks each Job in the namespace as succeeded, because the cluster cannot pull their images. */
async function completeJobs(cluster: KubeCluster, namespace: string, signal: AbortSignal): Promise<void> {
  const api = openEnvironment(kubeconfigText());
  const completed = new Set<string | undefined>();
  try {
    for await (const change of cluster.observe({ apiVersion: 'batch/v1', kind: 'Job', namespace }, signal)) {
      const jobs = change.type === 'snapshot' ? change.objects : change.type === 'changed' ? [change.object] : [];
      for (const { metadata, status } of jobs) {
        const { startTime } = (status ?? {}) as { startTime?: string };
        if (startTime === undefined || completed.has(metadata.uid)) continue;
        const now = new Date().toISOString().replace(/\.\d+/, '');
        const condition = { type: 'SuccessCriteriaMet', status: 'True', reason: 'Test', lastTransitionTime: now };
        const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${metadata.name}/status`;
        const headers = { 'content-type': 'application/merge-patch+json' };
        const response = await api.raw('PATCH', path, { headers, body: { status: { conditions: [condition] } } });
        if (response.status !== 200) throw new Error(response.text);
        completed.add(metadata.uid);
      }
    }
  } finally {
    await api.close();
  }
}
