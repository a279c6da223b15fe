import type { Cluster } from '../objects/cluster.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import { stringAt } from '../objects/fields.ts';

export interface VersionedSecretOptions {
  cluster: Pick<Cluster, 'get' | 'create' | 'mergePatch'>;
  /** The namespace of the agent. */
  namespace: string;
  name: string;
  agentId: string;
  /** Type of the Secret. */
  type: string;
}

/** A text in a Secret. */
export interface SecretText {
  text: string;
  /** Changes with each write. */
  version: string;
  uid: string | undefined;
}

const fieldManager = 'helm-agent';

/** Returns a text in a Secret that several processes of an agent may change. */
export function versionedSecret({ cluster, namespace, name, agentId, type }: VersionedSecretOptions) {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  return {
    /** Resolves to undefined if the Secret does not exist. */
    async read(): Promise<SecretText | undefined> {
      const secret = await cluster.get(ref);
      if (secret === undefined) return undefined;
      const text = Buffer.from(stringAt(secret, 'data', 'state') ?? '', 'base64').toString();
      const { resourceVersion: version = '', uid } = secret.metadata;
      return { text, version, uid };
    },

    /**
     * Replaces the text of a version, or creates the Secret if that is undefined. Resolves to false
     * if it is another version now.
     */
    async write(text: string, version: string | undefined): Promise<boolean> {
      const data = { state: Buffer.from(text).toString('base64') };
      const labels = { 'app.kubernetes.io/managed-by': 'helm-agent' };
      try {
        if (version === undefined) {
          const { apiVersion, kind } = ref;
          const metadata = { namespace, name, labels, annotations: { 'helm-agent/agent': agentId } };
          await cluster.create({ apiVersion, kind, metadata, type, data }, { fieldManager });
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
