import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../agent/logger.ts';
import type { ClusterTime } from '../policy/policy-scope.ts';
import { SealingKeys } from '../sealing/sealing-keys.ts';
import { sshLineOf } from '../signatures/public-key.ts';
import { SignatureError } from '../signatures/signature-error.ts';
import { type LocalSigner, pemSigner } from '../signatures/signer.ts';
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

/** Returns the keys that open sealed values. They are in a Secret of the agent's namespace. */
export function agentSealingKeys(
  options: Omit<VersionedSecretOptions, 'name' | 'type'>,
  rotateAfterMs: number | undefined,
): SealingKeys {
  const { agentId, namespace } = options;
  const name = `helm-agent.sealing.${createHash('sha256').update(agentId).digest('hex').slice(0, 40)}`;
  const secret = versionedSecret({ ...options, name, type: 'helm-agent/sealing-keys' });
  const store = { ...secret, name: `the Secret ${namespace}/${name}` };
  return new SealingKeys({ agentId, store, rotateAfterMs, now: Date.now });
}

/** Returns the signer of results with the key in a file, and logs its public key. */
export async function resultSignerOf(path: string, log: Logger): Promise<LocalSigner> {
  try {
    const signer = pemSigner(await readFile(path, 'utf8'));
    log.info({ publicKey: sshLineOf(signer.publicKey) }, 'results are signed; ctl verifies them with --agent-key');
    return signer;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new Error(`--result-key-file: ${path} ${error.message}`, { cause: error });
  }
}
