import { retry } from '../../async/index.ts';
import { codeOf, messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { Journal, JournaledCommand, KnownCommand, UnfinishedCommand } from '../journal.ts';
import { isJournalLost, JournalError } from '../journal-error.ts';
import { createMemoryJournal } from '../memory.ts';
import { stateOf } from '../operation-state.ts';
import {
  decodeHead,
  encodeHead,
  type EntryHead,
  entryRef,
  entrySelector,
  journalSecret,
  secretRef,
} from './entry-head.ts';
import { deleteParts, fieldManager, isPassing, type JournalCluster, loadText, storeText } from './entry-texts.ts';
import { OpenEntry } from './open-entry.ts';
import { defaultRetention, Retention, type RetentionLimits } from './retention.ts';
import type { SigningKey } from './signing-key.ts';

export interface ClusterJournalOptions {
  cluster: JournalCluster;
  /** The namespace of the Secrets: that of the agent. */
  namespace: string;
  agentId: string;
  /** Id of this process in its term as the leader. */
  instanceId: string;
  /** Id of this process in all its terms. Default: `instanceId`. */
  processId?: string;
  /** Returns milliseconds since the Unix epoch. */
  now: () => number;
  /** Called for a problem that ends nothing, with a text that has no secret. */
  onProblem: (message: string, fields: object) => void;
  /** Read together with the journal. Default: none. */
  signingKey?: Pick<SigningKey, 'load'>;
  /** Default: `defaultRetention`. */
  limits?: RetentionLimits;
}

/** Pauses before further attempts to store a new command, in milliseconds. */
const acceptPauses = [100, 250, 500, 1000, 2000, 4000, 4000];

/** Name of a Secret that is never stored. */
const checkName = 'helm-agent-journal-check';

/**
 * Returns a journal in the cluster: one Secret for each command that changes a release, with more
 * of them for texts that do not fit. Commands that only read are kept in memory.
 *
 * A command costs two writes, one before it is accepted and one at its end, and one for each state
 * that is saved. `test/bin/request-count.test.ts` counts them.
 */
export function createClusterJournal(options: ClusterJournalOptions): Journal {
  const { cluster, namespace, agentId, instanceId, now, onProblem, limits = defaultRetention } = options;
  const { processId = instanceId } = options;
  const reads = createMemoryJournal();
  const open = new Map<string, OpenEntry>();
  const retention = new Retention(limits);
  const closing = new AbortController();
  const { signal } = closing;
  let orders = 0;

  async function create(command: JournaledCommand, order: number): Promise<KnownCommand | undefined> {
    const { key, fingerprint, type, payload, isAnonymous, account, traceparent } = command;
    const ref = entryRef(namespace, agentId, key);
    const stored = await storeText(cluster, ref, agentId, 'payload', payload, signal);
    const head: EntryHead = {
      ...{ format: 1, agentId, key, fingerprint, type, isAnonymous, account, traceparent, holder: instanceId },
      ...{ acceptedAt: now(), order, parts: { payload: stored.parts } },
    };
    const data = { head: encodeHead(head), ...stored.data };
    try {
      const secret = await cluster.create(journalSecret(ref, agentId, 'running', data), { fieldManager, signal });
      hold(ref, head, secret);
      return undefined;
    } catch (error) {
      if (!hasClusterErrorCode(error, 'already_exists')) throw error;
      return await existing(ref, head);
    }
  }

  /** The entry exists: another command has the key, or an attempt whose answer was lost made it. */
  async function existing(ref: ObjectRef, own: EntryHead): Promise<KnownCommand | undefined> {
    const found = await cluster.get(ref, signal);
    if (found === undefined) throw new JournalError('journal_unavailable', 'the entry of the command was deleted');
    const head = decodeHead(found);
    if (head?.holder === own.holder && head.order === own.order) {
      hold(ref, head, found);
      return undefined;
    }
    return await knownOf(found, head);
  }

  function hold(ref: ObjectRef, head: EntryHead, { metadata }: KubeObject): void {
    const { resourceVersion = '' } = metadata;
    open.set(head.key, new OpenEntry({ cluster, ref, head, resourceVersion, signal }));
  }

  function held(key: string): OpenEntry {
    const entry = open.get(key);
    if (entry === undefined) throw new Error(`journal: no running command has the key ${key}`);
    return entry;
  }

  async function knownOf(secret: KubeObject, head: EntryHead | undefined): Promise<KnownCommand> {
    if (head === undefined) return { fingerprint: '' }; // of a newer version: the key is taken
    const { fingerprint } = head;
    const outcome = await loadText(cluster, secret, head, 'outcome', signal);
    return { fingerprint, ...(outcome !== undefined && { outcome }) };
  }

  /** Deletes commands that are not kept any longer. A failure to delete them is only reported. */
  async function forgetExpired(): Promise<void> {
    for (const { name, parts } of retention.expired(now())) {
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

  async function readFinished(): Promise<void> {
    const found = await cluster.list(
      { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: entrySelector(agentId, 'finished') },
      signal,
    );
    const entries = found.map((secret) => ({
      name: secret.metadata.name,
      finishedAt: decodeHead(secret)?.finishedAt ?? 0,
      bytes: ((stringAt(secret, 'data', 'outcome') ?? '').length * 3) / 4,
      parts: decodeHead(secret)?.parts.outcome ?? 0,
    }));
    for (const entry of entries.sort((a, b) => a.finishedAt - b.finishedAt)) retention.add(entry);
    await forgetExpired();
  }

  async function takeOne(secret: KubeObject): Promise<{ head: EntryHead; command: UnfinishedCommand } | undefined> {
    const { name, resourceVersion = '' } = secret.metadata;
    const head = decodeHead(secret);
    if (head === undefined) {
      onProblem('left a command that another version of the agent has journaled', { name });
      return undefined;
    }
    const { key, fingerprint, type, isAnonymous, account, traceparent } = head;
    const entry = new OpenEntry({ cluster, ref: secretRef(namespace, name), head, resourceVersion, signal });
    await entry.claim(instanceId, processId);
    open.set(key, entry);
    const payload = (await loadText(cluster, secret, head, 'payload', signal)) ?? '';
    const state = stateOf(await loadText(cluster, secret, head, 'state', signal));
    entry.startFrom(state);
    const { failedContinuations, isSuspect } = entry;
    const command = {
      key,
      fingerprint,
      type,
      payload,
      isDurable: true,
      isAnonymous,
      ...(account !== undefined && { account }),
      ...(traceparent !== undefined && { traceparent }),
    };
    return { head, command: { ...command, state, failedContinuations, isSuspect } };
  }

  return {
    durable: true,

    async accept(command) {
      if (!command.isDurable) return await reads.accept(command);
      const known = await reads.find(command.key);
      if (known !== undefined) return known;
      const order = ++orders;
      try {
        return await retry(() => create(command, order), { pauses: acceptPauses, canRetry: isPassing, signal });
      } catch (error) {
        throw unavailable(error);
      }
    },

    save: async (key, state) => await held(key).save(state),

    async finish(key, outcome) {
      const entry = open.get(key);
      if (entry === undefined) {
        await reads.finish(key, outcome);
        return;
      }
      const finished = await entry.finish(outcome, now());
      open.delete(key);
      if (finished !== undefined) retention.add(finished);
      await forgetExpired();
    },

    async find(key) {
      const known = await reads.find(key);
      if (known !== undefined) return known;
      const found = await cluster.get(entryRef(namespace, agentId, key), signal);
      return found && (await knownOf(found, decodeHead(found)));
    },

    async takeOver() {
      const running = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: entrySelector(agentId, 'running') };
      const [found] = await Promise.all([cluster.list(running, signal), options.signingKey?.load()]);
      const taken: { head: EntryHead; command: UnfinishedCommand }[] = [];
      for (const secret of found) {
        try {
          const one = await takeOne(secret);
          if (one !== undefined) taken.push(one);
        } catch (error) {
          if (isPassing(error)) throw error;
          onProblem('cannot take over a command of the journal', {
            code: codeOf(error) ?? 'internal',
            name: secret.metadata.name,
          });
        }
      }
      await readFinished();
      taken.sort(({ head: a }, { head: b }) => a.acceptedAt - b.acceptedAt || a.order - b.order);
      return taken.map(({ command }) => command);
    },

    continuing: async (key, isAlone) => await held(key).continuing(processId, isAlone),

    async leave() {
      if (signal.aborted) return;
      const left = [...open.values()].map(async (entry) => {
        await entry.leave(processId).catch((error: unknown) => {
          if (signal.aborted || isJournalLost(error)) return;
          onProblem('cannot journal that the process ends orderly', { code: codeOf(error) ?? 'internal' });
        });
      });
      await Promise.all(left);
    },

    async check(stop) {
      const secret = journalSecret(secretRef(namespace, checkName), agentId, 'part', {});
      await cluster.create(secret, { fieldManager, dryRun: true, signal: AbortSignal.any([signal, stop]) });
    },

    close: () => closing.abort(new Error('the agent is shutting down')),
  };
}

function unavailable(cause: unknown): JournalError {
  if (cause instanceof JournalError) return cause;
  const reason = messageOf(cause);
  return new JournalError(
    'journal_unavailable',
    `the command was not started, because it cannot be stored: ${reason}`,
    cause,
  );
}
