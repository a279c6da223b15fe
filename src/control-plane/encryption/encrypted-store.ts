import { ControlPlaneError } from '../error.ts';
import type { CommandRecord, CommandStore, EventRecord, StoreContents, StoredEntry } from '../store/command-store.ts';
import { layeredStore } from '../store/layered-store.ts';
import { dataKeyCollection, type DataKeys, isEncrypted, openDataKeys } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';

/**
 * Returns a store that encrypts what may have secrets before another store keeps it: payloads of
 * commands, packets of agents with the results, and all entries. Ids, names, digests, times and the
 * audit log, which has no secrets, stay as they are. What was stored before stays readable; its
 * payloads and entries are encrypted when the store is opened. Without `encryption`, nothing is
 * encrypted, and a store that has encrypted data is refused.
 */
export function createEncryptedStore(store: CommandStore, encryption: KeyEncryption | undefined): CommandStore {
  let opened: DataKeys | undefined;
  return layeredStore(store, {
    async open(signal) {
      const contents = await store.open(signal);
      const { entries = [] } = contents;
      const dataKeys = entries.filter(isDataKey);
      if (!encryption) {
        if (dataKeys.length > 0) throw keysMissing();
        return contents;
      }
      const { keys, changed } = await openDataKeys(dataKeys, encryption);
      const old = {
        commands: contents.commands.filter(({ payload }) => payload !== undefined && !isEncrypted(payload)),
        entries: entries.filter((entry) => !isDataKey(entry) && !isEncrypted(entry.text ?? '')),
      };
      if (changed.length + old.commands.length + old.entries.length > 0) {
        await store.write({
          ...{ events: [], trims: [], forgotten: [], agents: [], forgottenAgents: [] },
          commands: old.commands.map((record) => encryptedRecord(record, keys)),
          entries: [...changed, ...old.entries.map((entry) => encryptedEntry(entry, keys))],
        });
      }
      opened = keys;
      return decrypted(contents, keys);
    },
    async write(batch) {
      const keys = opened;
      if (!keys) return store.write(batch);
      return store.write({
        ...batch,
        commands: batch.commands.map((record) => encryptedRecord(record, keys)),
        events: batch.events.map(({ key, ...stored }) => ({ key, ...encryptedEvent(key, stored, keys) })),
        ...(batch.entries && { entries: batch.entries.map((entry) => encryptedEntry(entry, keys)) }),
      });
    },
    async events(key) {
      const events = await store.events(key);
      return events.map((stored) => decryptedEvent(key, stored, opened));
    },
  });
}

const isDataKey = ({ collection }: StoredEntry): boolean => collection === dataKeyCollection;

function decrypted(contents: StoreContents, keys: DataKeys): StoreContents {
  const { commands, entries = [] } = contents;
  const own = entries.filter((entry) => !isDataKey(entry));
  return {
    ...contents,
    commands: commands.map((record) => withTexts(record, (text, place) => keys.decrypt(text, place))),
    entries: own.map(({ collection, id, text = '' }) => {
      return { collection, id, text: keys.decrypt(text, ['entry', collection, id]) };
    }),
  };
}

function encryptedRecord(record: CommandRecord, keys: DataKeys): CommandRecord {
  return withTexts(record, (text, place) => keys.encrypt(text, place));
}

/** Changes the texts of a record that may have secrets. */
function withTexts(record: CommandRecord, change: (text: string, place: string[]) => string): CommandRecord {
  const { key, payload, envelope } = record;
  return {
    ...record,
    payload: payload === undefined ? undefined : change(payload, ['command', key, 'payload']),
    ...(envelope !== undefined && { envelope: change(envelope, ['command', key, 'envelope']) }),
  };
}

function encryptedEntry({ collection, id, text }: StoredEntry, keys: DataKeys): StoredEntry {
  return { collection, id, text: text === undefined ? undefined : keys.encrypt(text, ['entry', collection, id]) };
}

/** An encrypted event has a text as its payload. */
function encryptedEvent(key: string, { event, bytes }: EventRecord, keys: DataKeys): EventRecord {
  const payload: unknown = keys.encrypt(JSON.stringify(event.payload), ['event', key, event.id, event.type]);
  return { event: { ...event, payload } as EventRecord['event'], bytes }; // the store below keeps any JSON
}

function decryptedEvent(key: string, { event, bytes }: EventRecord, keys: DataKeys | undefined): EventRecord {
  const text: unknown = event.payload;
  if (typeof text !== 'string') return { event, bytes };
  if (!keys) throw keysMissing();
  const payload: unknown = JSON.parse(keys.decrypt(text, ['event', key, event.id, event.type]));
  return { event: { ...event, payload } as EventRecord['event'], bytes }; // as it was validated
}

function keysMissing(): ControlPlaneError {
  const advice = 'name the file with its keys with --encryption-key-file';
  return new ControlPlaneError('store_unavailable', `the data of this control plane is encrypted; ${advice}`);
}
