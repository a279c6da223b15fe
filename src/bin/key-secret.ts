import { createHash } from 'node:crypto';
import { formatKeyState, type KeyStore, parseKeyState } from '../agent/key/key-state.ts';
import type { Cluster } from '../objects/cluster.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { stringAt } from '../objects/fields.ts';
export interface KeySecretOptions {
  cluster: Pick<Cluster, 'get' | 'create' | 'mergePatch'>;
  /** The namespace of the agent. */
  namespace: string;
  agentId: string;
}

const fieldManager = 'helm-agent';

/** Keeps the keys of an agent in a Secret of its namespace. */
export function keySecret({ cluster, namespace, agentId }: KeySecretOptions): KeyStore {
  const name = `helm-agent.key.${createHash('sha256').update(agentId).digest('hex').slice(0, 40)}`;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  return {
    async read() {
      const secret = await cluster.get(ref);
      if (secret === undefined) return undefined;
      const text = Buffer.from(stringAt(secret, 'data', 'state') ?? '', 'base64').toString();
      const { resourceVersion: version = '', uid } = secret.metadata;
      return { state: parseKeyState(text, `the Secret ${namespace}/${name}`), version, uid };
    },
    async write(state, version) {
      const data = { state: Buffer.from(formatKeyState(state)).toString('base64') };
      const labels = { 'app.kubernetes.io/managed-by': 'helm-agent' };
      try {
        if (version === undefined) {
          const { apiVersion, kind } = ref;
          const metadata = { namespace, name, labels, annotations: { 'helm-agent/agent': agentId } };
          await cluster.create({ apiVersion, kind, metadata, type: 'helm-agent/agent-key', data }, { fieldManager });
        } else await cluster.mergePatch(ref, { metadata: { resourceVersion: version }, data }, { fieldManager });
        return true;
      } catch (error) {
        const isChanged = (['already_exists', 'conflict', 'not_found'] as const).some((code) =>
          hasClusterErrorCode(error, code),
        );
        if (isChanged) return false;
        throw error;
      }
    },
  };
}
