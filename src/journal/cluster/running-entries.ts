import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { JournaledCommand, KnownCommand, UnfinishedCommand } from '../journal.ts';
import { JournalError } from '../journal-error.ts';
import { stateOf } from '../operation-state.ts';
import type { EntryContext } from './entry-context.ts';
import { decodeHead, encodeHead, type EntryHead, entryRef, journalSecret, secretRef } from './entry-head.ts';
import { deleteParts, fieldManager, loadText, packText, storeParts } from './entry-texts.ts';
import { OpenEntry } from './open-entry.ts';

/** A command that was taken over, and the head of its entry. */
export interface TakenCommand {
  head: EntryHead;
  command: UnfinishedCommand;
}

/** The entries of the commands that this process runs. */
export class RunningEntries {
  readonly #context: EntryContext;
  readonly #open = new Map<string, OpenEntry>();

  constructor(context: EntryContext) {
    this.#context = context;
  }

  /**
   * Stores a new command. Returns what is known if another command has its key. The key of one with
   * parts is looked up first, because parts have the same names for each command with the key.
   */
  async create(command: JournaledCommand, order: number): Promise<KnownCommand | undefined> {
    const { cluster, namespace, agentId, instanceId, now, signal } = this.#context;
    const { key, fingerprint, type, payload, isAnonymous, account, traceparent, envelope } = command;
    const ref = entryRef(namespace, agentId, key);
    const { data: inline, parts } = await packText('payload', payload);
    const head: EntryHead = {
      ...{ format: 1, agentId, key, fingerprint, type, isAnonymous, account, traceparent, envelope },
      ...{ holder: instanceId, acceptedAt: now(), order, parts: { payload: parts.length } },
    };
    const data = { head: encodeHead(head), ...inline };
    const earlier = parts.length > 0 ? await cluster.get(ref, signal) : undefined;
    if (earlier !== undefined) return await this.#existing(ref, head, earlier);
    await storeParts(cluster, ref, agentId, 'payload', parts, signal);
    try {
      const secret = await cluster.create(journalSecret(ref, agentId, 'running', data), { fieldManager, signal });
      this.#hold(ref, head, secret);
      return undefined;
    } catch (error) {
      if (!hasClusterErrorCode(error, 'already_exists')) throw error;
      const found = await cluster.get(ref, signal);
      if (found === undefined) throw new JournalError('journal_unavailable', 'the entry of the command was deleted');
      return await this.#existing(ref, head, found);
    }
  }

  /** Returns the entry of a running command. */
  get(key: string): OpenEntry {
    const entry = this.#open.get(key);
    if (entry === undefined) throw new Error(`journal: no running command has the key ${key}`);
    return entry;
  }

  has = (key: string): boolean => this.#open.has(key);

  delete = (key: string): boolean => this.#open.delete(key);

  all = (): OpenEntry[] => [...this.#open.values()];

  /** Takes over what an earlier process has left. Returns undefined for one of another version. */
  async take(secret: KubeObject): Promise<TakenCommand | undefined> {
    const { cluster, namespace, instanceId, processId, signal, onProblem } = this.#context;
    const { name, resourceVersion = '' } = secret.metadata;
    const head = decodeHead(secret);
    if (head === undefined) {
      onProblem('left a command that another version of the agent has journaled', { name });
      return undefined;
    }
    const { key, fingerprint, type, isAnonymous, account, traceparent, envelope } = head;
    const entry = new OpenEntry({ cluster, ref: secretRef(namespace, name), head, resourceVersion, signal });
    await entry.claim(instanceId, processId);
    this.#open.set(key, entry);
    const payload = (await loadText(cluster, secret, head, 'payload', signal)) ?? '';
    const state = stateOf(await loadText(cluster, secret, head, 'state', signal));
    entry.startFrom(state);
    const { failedContinuations, isSuspect } = entry;
    const command = {
      ...{ key, fingerprint, type, payload, isDurable: true, isAnonymous },
      ...(account !== undefined && { account }),
      ...(traceparent !== undefined && { traceparent }),
      ...(envelope !== undefined && { envelope }),
    };
    return { head, command: { ...command, state, failedContinuations, isSuspect } };
  }

  /** Returns what the entry of a command says. */
  async known(secret: KubeObject): Promise<KnownCommand> {
    const { cluster, signal } = this.#context;
    const head = decodeHead(secret);
    if (head === undefined) return { fingerprint: '' }; // of a newer version: the key is taken
    const { fingerprint } = head;
    const outcome = await loadText(cluster, secret, head, 'outcome', signal);
    return { fingerprint, ...(outcome !== undefined && { outcome }) };
  }

  /** The entry exists: another command has the key, or an attempt whose answer was lost made it. */
  async #existing(ref: ObjectRef, own: EntryHead, found: KubeObject): Promise<KnownCommand | undefined> {
    const { cluster, signal } = this.#context;
    const head = decodeHead(found);
    if (head?.holder === own.holder && head.order === own.order) {
      this.#hold(ref, head, found);
      return undefined;
    }
    // one that has finished has no payload, but the other command may have stored its parts before
    if (head?.finishedAt !== undefined) await deleteParts(cluster, ref, 'payload', own.parts.payload ?? 0, signal);
    return await this.known(found);
  }

  #hold(ref: ObjectRef, head: EntryHead, { metadata }: KubeObject): void {
    const { cluster, signal } = this.#context;
    const { resourceVersion = '' } = metadata;
    this.#open.set(head.key, new OpenEntry({ cluster, ref, head, resourceVersion, signal }));
  }
}
