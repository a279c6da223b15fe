import type { Journal } from '../journal/index.ts';
import type { Cluster } from '../objects/cluster.ts';
import { trialSecret } from '../operation/agent-upgrade/trial.ts';

/**
 * Returns a journal that does not blame commands for the end of this process while an upgrade of
 * the agent is guarded. A version that crashes would otherwise end commands that the version before
 * can continue.
 */
export function forgivingJournal(
  journal: Journal,
  { cluster, namespace, agentId }: { cluster: Cluster; namespace: string; agentId: string },
): Journal {
  const trial = trialSecret(cluster, namespace, agentId);
  return {
    ...journal,
    async continuing(key, isAlone) {
      const found = await trial.read();
      if (found !== undefined && found.trial.phase !== 'ended') return;
      await journal.continuing(key, isAlone);
    },
  };
}
