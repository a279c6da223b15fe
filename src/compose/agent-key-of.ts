import { tokenFile } from '../agent/connection/token-file.ts';
import { AgentKey } from '../agent/key/agent-key.ts';
import type { Logger } from '../agent/logger.ts';
import type { Cluster } from '../objects/cluster.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { keyFile } from './key-file.ts';
import { keySecret } from './key-secret.ts';

/** The settings about the key of an agent. */
export interface AgentKeySetup {
  agentId: string;
  /**
   * File with the token with which the agent enrols its key. It may be missing afterwards. Default:
   * with a `keyFile`, the key is enrolled already; otherwise the agent has no key.
   */
  enrolmentTokenFile?: string | undefined;
  /** File for the key. Default: a Secret in the namespace of the agent. */
  keyFile?: string | undefined;
  /** Age at which the key is replaced, in milliseconds. Default: 30 days. */
  keyRotation?: number | undefined;
  log: Logger;
}

const defaultRotationMs = 30 * 24 * 3_600_000;

/** Returns the key of an agent; undefined if it does not use one. */
export function agentKeyOf(
  { agentId, enrolmentTokenFile, keyFile: file, keyRotation, log }: AgentKeySetup,
  cluster: Pick<Cluster, 'get' | 'create' | 'mergePatch'> & { namespace: string },
): AgentKey | undefined {
  if (enrolmentTokenFile === undefined && file === undefined) return undefined;
  const read = enrolmentTokenFile === undefined ? undefined : tokenFile(enrolmentTokenFile);
  return new AgentKey({
    ...{ agentId, log, now: () => new Date(), rotateAfterMs: keyRotation ?? defaultRotationMs },
    store: file === undefined ? keySecret({ cluster, namespace: cluster.namespace, agentId }) : keyFile(file),
    // it may be gone when the agent has enrolled
    readToken: read && (() => read().catch(() => undefined)),
    async clusterUid() {
      const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
      const found = await cluster.get(ref).catch((error: unknown) => {
        if (hasClusterErrorCode(error, 'forbidden')) return undefined;
        throw error;
      });
      return found?.metadata.uid;
    },
  });
}
