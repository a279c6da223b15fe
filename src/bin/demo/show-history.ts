import type { Terminal } from '../../cli/dependencies.ts';
import { connectCluster } from '../../kube/cluster.ts';
import { secretStorage } from '../../release/storage/secret.ts';
import { processHost } from '../../render/process-host.ts';

/** Prints the revisions of a release. */
export async function showHistory(
  { namespace, release }: { namespace: string; release: string },
  kubeconfig: string,
  terminal: Terminal,
): Promise<void> {
  const cluster = connectCluster({ file: kubeconfig });
  try {
    const storage = secretStorage({
      cluster,
      host: processHost(),
      onUnreadable: (error) => terminal.write(`${error.message}\n`),
    });
    const revisions = await storage.query({ namespace, name: release });
    for (const { release: revision } of revisions.sort((a, b) => a.release.version - b.release.version)) {
      const [description = ''] = (revision.info.description ?? '').split('\n');
      terminal.write(`${String(revision.version).padEnd(4)}${revision.info.status.padEnd(12)}${description}\n`);
    }
  } finally {
    await cluster.close();
  }
}
