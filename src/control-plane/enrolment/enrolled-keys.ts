import * as z from 'zod';
import type { Proof } from '../../protocol/proof.ts';
import type { StoredEntry } from '../store/command-store.ts';
import type { PatientStore } from '../store/entry-store.ts';

const keySchema = z.object({
  /** The public key of the agent, and the one that it has announced. */
  key: z.string(),
  nextKey: z.string().optional(),
  /** The cluster of the agent, see `proofSchema`. */
  clusterUid: z.string().optional(),
  secretUid: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  /** Time in milliseconds. */
  enrolledAt: z.number(),
});
/** The key of an agent. */
export type EnrolledKey = z.output<typeof keySchema>;

/** The keys of agents by their ids, of which the store has a copy. */
export class EnrolledKeys {
  readonly #collection: string;
  readonly #store: Pick<PatientStore, 'keep' | 'storedLater'>;
  readonly #keys = new Map<string, EnrolledKey>();
  /** Changes that are being stored. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(collection: string, store: Pick<PatientStore, 'keep' | 'storedLater'>) {
    this.#collection = collection;
    this.#store = store;
  }

  /** Takes an entry of the store. Returns false if it is another one's. */
  restore({ collection, id, text = '' }: StoredEntry): boolean {
    if (collection !== this.#collection) return false;
    this.#keys.set(id, keySchema.parse(JSON.parse(text)));
    return true;
  }

  get count(): number {
    return this.#keys.size;
  }

  ids(): Iterable<string> {
    return this.#keys.keys();
  }

  get(agentId: string): EnrolledKey | undefined {
    return this.#keys.get(agentId);
  }

  set(agentId: string, key: EnrolledKey): void {
    this.#keys.set(agentId, key);
    this.#store.keep({ collection: this.#collection, id: agentId, text: JSON.stringify(key) });
    const storing = this.#store.storedLater().then(() => {
      if (this.#storing.get(agentId) === storing) this.#storing.delete(agentId);
    });
    this.#storing.set(agentId, storing);
  }

  /** Resolves when the key of an agent, as it is now, is stored, however long that takes. */
  async stored(agentId: string): Promise<void> {
    await this.#storing.get(agentId);
  }

  delete(agentId: string): boolean {
    if (!this.#keys.delete(agentId)) return false;
    this.#store.keep({ collection: this.#collection, id: agentId, text: undefined });
    return true;
  }
}

/**
 * Whether a proof comes from another cluster than the key. The Secret is of use only if one of them
 * does not name its cluster, because a backup that is restored in its cluster has another uid.
 */
export function isOfAnotherCluster(known: EnrolledKey, shown: Pick<Proof, 'clusterUid' | 'secretUid'>): boolean {
  if (known.clusterUid !== undefined && shown.clusterUid !== undefined) return known.clusterUid !== shown.clusterUid;
  return known.secretUid !== undefined && shown.secretUid !== undefined && known.secretUid !== shown.secretUid;
}
