import { hash } from 'node:crypto';
import { parsedJson } from '../../objects/json-text.ts';
import { ControlPlaneError } from '../error.ts';
import type { CommandStore, StoreBatch, StoreContents, StoredEntry } from './command-store.ts';
import { layeredStore } from './layered-store.ts';

/** The collection of the payloads that commands name, by their digests. */
const payloadCollection = 'payload';

/** UTF-16 units of the longest payload that is stored with its command. */
const maxOwnLength = 1024;

/** Begins the name of a payload. No payload begins so, because all are JSON objects. */
const prefix = 'shared:';

/**
 * Returns a store that keeps each long payload once, however many commands have it. Their records
 * name it by its digest, and it is deleted in the batch after which none of them needs it.
 */
export function createSharingStore(store: CommandStore): CommandStore {
  const shared = new SharedPayloads();
  return layeredStore(store, {
    open: async (signal) => shared.open(await store.open(signal)),
    async write(batch) {
      const { stored, commit } = shared.prepare(batch);
      await store.write(stored);
      commit();
    },
  });
}

/** Which commands name which payload in the store. */
class SharedPayloads {
  /** By key of the command. */
  readonly #digests = new Map<string, string>();
  /** Number of commands by digest. */
  readonly #uses = new Map<string, number>();
  /** Digests of the payloads that no command names, which are deleted with the next batch. */
  readonly #unused = new Set<string>();

  /** Returns the contents with the payloads in the records. Throws `ControlPlaneError`. */
  open({ commands, entries = [], ...contents }: StoreContents): StoreContents {
    const payloads = new Map(entries.filter(isPayload).map((entry) => [entry.id, payloadOf(entry)]));
    const opened = commands.map((record) => {
      if (record.payload?.startsWith(prefix) !== true) return record;
      const digest = record.payload.slice(prefix.length);
      const payload = payloads.get(digest);
      if (payload === undefined) throw damaged();
      this.#digests.set(record.key, digest);
      this.#uses.set(digest, (this.#uses.get(digest) ?? 0) + 1);
      return { ...record, payload };
    });
    for (const digest of payloads.keys()) if (!this.#uses.has(digest)) this.#unused.add(digest);
    return { ...contents, commands: opened, entries: entries.filter((entry) => !isPayload(entry)) };
  }

  /** Returns a batch as it is stored. `commit` notes that it was stored. */
  prepare(batch: StoreBatch): { stored: StoreBatch; commit: () => void } {
    const names = new Map<string, string | undefined>();
    const texts = new Map<string, string>();
    const commands = batch.commands.map((record) => {
      const { key, payload } = record;
      if (payload === undefined || payload.length <= maxOwnLength) {
        names.set(key, undefined);
        return record;
      }
      // the payload of a command does not change
      const digest = this.#digests.get(key) ?? digestOf(payload);
      names.set(key, digest);
      texts.set(digest, payload);
      return { ...record, payload: `${prefix}${digest}` };
    });
    for (const key of batch.forgotten) names.set(key, undefined);
    const uses = this.#usesAfter(names);
    const entries = [...uses].flatMap(([id, count]): StoredEntry[] => {
      if (count === 0) return [{ collection: payloadCollection, id, text: undefined }];
      return this.#uses.has(id) ? [] : [{ collection: payloadCollection, id, text: JSON.stringify(texts.get(id)) }];
    });
    const stored = {
      ...batch,
      commands,
      ...(entries.length > 0 && { entries: [...(batch.entries ?? []), ...entries] }),
    };
    return { stored, commit: () => this.#commit(names, uses) };
  }

  /** Returns the number of commands of each payload that changes, or that no command names. */
  #usesAfter(names: ReadonlyMap<string, string | undefined>): Map<string, number> {
    const uses = new Map(Array.from(this.#unused, (digest) => [digest, 0]));
    const add = (digest: string | undefined, difference: number) => {
      if (digest === undefined) return;
      uses.set(digest, (uses.get(digest) ?? this.#uses.get(digest) ?? 0) + difference);
    };
    for (const [key, digest] of names) {
      const before = this.#digests.get(key);
      if (before === digest) continue;
      add(before, -1);
      add(digest, 1);
    }
    return uses;
  }

  #commit(names: ReadonlyMap<string, string | undefined>, uses: ReadonlyMap<string, number>): void {
    this.#unused.clear();
    for (const [key, digest] of names) {
      if (digest === undefined) this.#digests.delete(key);
      else this.#digests.set(key, digest);
    }
    for (const [digest, count] of uses) {
      if (count === 0) this.#uses.delete(digest);
      else this.#uses.set(digest, count);
    }
  }
}

const isPayload = ({ collection }: StoredEntry): boolean => collection === payloadCollection;

function digestOf(payload: string): string {
  return hash('sha256', payload);
}

/** Returns the payload of an entry, if it is that of its digest. Throws `ControlPlaneError`. */
function payloadOf({ id, text = '' }: StoredEntry): string {
  const payload = parsedJson(text);
  if (typeof payload === 'string' && digestOf(payload) === id) return payload;
  throw damaged();
}

function damaged(): ControlPlaneError {
  return new ControlPlaneError(
    'store_unavailable',
    'the payload of a stored command is missing or was changed; restore a backup',
  );
}
