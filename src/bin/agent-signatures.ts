import { createHash } from 'node:crypto';
import type { ClusterTime } from '../policy/policy-scope.ts';
import { memorySignatureStore, UsedSignatures } from '../signatures/used-signatures.ts';
import { versionedSecret, type VersionedSecretOptions } from './versioned-secret.ts';

/**
 * Returns where an agent notes the signatures that were used: in a Secret beside its journal, or in
 * memory like that.
 */
export function agentSignatures(
  journal: 'memory' | 'cluster' | undefined,
  options: Omit<VersionedSecretOptions, 'name' | 'type'>,
  clusterTime: ClusterTime,
): UsedSignatures {
  const name = `helm-agent.signatures.${createHash('sha256').update(options.agentId).digest('hex').slice(0, 40)}`;
  const store =
    journal === 'cluster'
      ? versionedSecret({ ...options, name, type: 'helm-agent/signatures' })
      : memorySignatureStore();
  return new UsedSignatures(store, () => clusterTime().earliest);
}
