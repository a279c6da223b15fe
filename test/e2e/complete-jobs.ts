import type { KubeCluster } from '../../src/kube/cluster.ts';
import { openEnvironment } from '../api/environment.ts';
import { patchStatus } from './patch-status.ts';
import { kubeconfigText } from './real-cluster.ts';

/**
 * Marks each Job in the namespace as succeeded, because the cluster cannot pull their images. Ends
 * when the signal aborts.
 */
export async function completeJobs(cluster: KubeCluster, namespace: string, signal: AbortSignal): Promise<void> {
  const api = openEnvironment(kubeconfigText());
  const completed = new Set<string | undefined>();
  try {
    for await (const change of cluster.observe({ apiVersion: 'batch/v1', kind: 'Job', namespace }, signal)) {
      const jobs = change.type === 'snapshot' ? change.objects : change.type === 'changed' ? [change.object] : [];
      for (const { metadata, status } of jobs) {
        const { startTime } = (status ?? {}) as { startTime?: string };
        if (startTime === undefined || completed.has(metadata.uid)) continue;
        const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
        const condition = { type: 'SuccessCriteriaMet', status: 'True', reason: 'Test', lastTransitionTime };
        const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${metadata.name}`;
        await patchStatus(api, path, { conditions: [condition] });
        completed.add(metadata.uid);
      }
    }
  } finally {
    await api.close();
  }
}
