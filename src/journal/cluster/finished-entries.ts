import { codeOf } from '../../errors/index.ts';
import { stringAt } from '../../objects/fields.ts';
import type { ListedCommand } from '../journal.ts';
import type { EntryContext } from './entry-context.ts';
import { decodeHead, entrySelector, listedOf, secretRef } from './entry-head.ts';
import { deleteParts, maxPartBytes } from './entry-texts.ts';
import { type FinishedEntry, Retention, type RetentionLimits } from './retention.ts';

/** The entries of finished commands: keeps those that the limits allow, and deletes the others. */
export class FinishedEntries {
  readonly #context: EntryContext;
  readonly #retention: Retention;

  constructor(context: EntryContext, limits: RetentionLimits) {
    this.#context = context;
    this.#retention = new Retention(limits);
  }

  /** Adds a command that has finished after all others. */
  add(entry: FinishedEntry): void {
    this.#retention.add(entry);
  }

  /** Returns the commands that this version of the program has written. */
  list(): ListedCommand[] {
    return this.#retention.all().flatMap(({ listed }) => listed ?? []);
  }

  /** Adds those that are in the cluster, and deletes the expired ones. */
  async read(): Promise<void> {
    const { cluster, namespace, agentId, signal } = this.#context;
    const labelSelector = entrySelector(agentId, 'finished');
    const found = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector }, signal);
    const entries = found.map((secret) => {
      const head = decodeHead(secret);
      const parts = head?.parts.outcome ?? 0;
      return {
        name: secret.metadata.name,
        listed: head && listedOf(head),
        finishedAt: head?.finishedAt ?? 0,
        // of parts, which are not read, at most
        bytes: ((stringAt(secret, 'data', 'outcome') ?? '').length * 3) / 4 + parts * maxPartBytes,
        parts,
      };
    });
    for (const entry of entries.sort((a, b) => a.finishedAt - b.finishedAt)) this.add(entry);
    await this.deleteExpired();
  }

  /** Deletes commands that are not kept any longer. A failure to delete them is only reported. */
  async deleteExpired(): Promise<void> {
    const { cluster, namespace, signal, now, onProblem } = this.#context;
    for (const { name, parts } of this.#retention.expired(now())) {
      const ref = secretRef(namespace, name);
      try {
        await cluster.delete(ref, { signal });
        await deleteParts(cluster, ref, 'outcome', parts, signal);
      } catch (error) {
        if (signal.aborted) return;
        onProblem('cannot delete a finished command from the journal', { code: codeOf(error) ?? 'internal', name });
      }
    }
  }
}
