import { codeOf, messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { JournalError } from '../journal-error.ts';
import { secretRef } from './entry-head.ts';
import { fieldManager, isPassing, type JournalCluster } from './entry-texts.ts';

export interface SigningKeyOptions {
  cluster: Pick<JournalCluster, 'get' | 'create'>;
  /** The namespace of the Secret: that of the agent. All agents in it share the key. */
  namespace: string;
  /** Returns this many random bytes. */
  random: (size: number) => Uint8Array;
  /** Whether nothing may be done without a key. Otherwise a problem is only reported. */
  isRequired: boolean;
  /** Called for a problem that ends nothing, with a text that has no secret. */
  onProblem: (message: string, fields: object) => void;
}

const secretName = 'helm-agent.signing-key';
const keyBytes = 32;

/** The key with which an agent recognizes the release records that it has written. */
export class SigningKey {
  readonly #options: SigningKeyOptions;
  #bytes: Uint8Array | undefined;

  constructor(options: SigningKeyOptions) {
    this.#options = options;
  }

  /** Undefined until it was read, and if it cannot be used. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** Reads the key unless it is known, and creates it if there is none. */
  async load(): Promise<void> {
    if (this.#bytes !== undefined) return;
    const { isRequired, onProblem } = this.#options;
    try {
      this.#bytes = (await this.#read()) ?? (await this.#create());
    } catch (error) {
      if (isRequired || isPassing(error)) throw error;
      const fields = { code: codeOf(error) ?? 'internal', reason: messageOf(error) };
      onProblem('the release records that the agent writes are not signed', fields);
    }
  }

  async #read(): Promise<Uint8Array | undefined> {
    const { cluster, namespace } = this.#options;
    const secret = await cluster.get(secretRef(namespace, secretName));
    return secret && keyOf(secret);
  }

  async #create(): Promise<Uint8Array> {
    const { cluster, namespace, random, onProblem } = this.#options;
    const bytes = random(keyBytes);
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: secretName, labels: { 'app.kubernetes.io/managed-by': 'helm-agent' } },
      type: 'helm-agent/signing-key',
      immutable: true,
      data: { key: Buffer.from(bytes).toString('base64') },
    };
    try {
      await cluster.create(secret, { fieldManager });
    } catch (error) {
      if (!hasClusterErrorCode(error, 'already_exists')) throw error;
      const other = await this.#read(); // of another replica, or of an attempt whose answer was lost
      if (other === undefined) throw error;
      return other;
    }
    onProblem('created the key that signs release records; those written before count as of other clients', {
      namespace,
      name: secretName,
    });
    return bytes;
  }
}

function keyOf(secret: KubeObject): Uint8Array {
  const bytes = Buffer.from(stringAt(secret, 'data', 'key') ?? '', 'base64');
  if (bytes.length === keyBytes) return bytes;
  const { namespace = '', name } = secret.metadata;
  throw new JournalError(
    'journal_unavailable',
    `the Secret ${namespace}/${name} has no key of ${keyBytes} bytes; restore it, or delete it for a new key`,
  );
}
