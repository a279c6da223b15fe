import { retry } from '../../async/index.ts';
import { codeOf, messageOf } from '../../errors/index.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Journal } from '../journal.ts';
import { isJournalLost, JournalError } from '../journal-error.ts';
import { createMemoryJournal } from '../memory.ts';
import type { EntryContext } from './entry-context.ts';
import { entryRef, entrySelector, journalSecret, secretRef } from './entry-head.ts';
import { fieldManager, isPassing } from './entry-texts.ts';
import { FinishedEntries } from './finished-entries.ts';
import { defaultRetention, type RetentionLimits } from './retention.ts';
import { RunningEntries, type TakenCommand } from './running-entries.ts';
import type { SigningKey } from './signing-key.ts';

export interface ClusterJournalOptions extends Omit<EntryContext, 'processId' | 'signal'> {
  /** Id of this process in all its terms. Default: `instanceId`. */
  processId?: string;
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
  const closing = new AbortController();
  const { signal } = closing;
  const context: EntryContext = { cluster, namespace, agentId, instanceId, processId, now, onProblem, signal };
  const reads = createMemoryJournal();
  const running = new RunningEntries(context);
  const finished = new FinishedEntries(context, limits);
  let orders = 0;

  return {
    durable: true,

    async accept(command) {
      if (!command.isDurable) return await reads.accept(command);
      const known = await reads.find(command.key);
      if (known !== undefined) return known;
      const order = ++orders;
      try {
        return await retry(() => running.create(command, order), { pauses: acceptPauses, canRetry: isPassing, signal });
      } catch (error) {
        throw unavailable(error);
      }
    },

    save: async (key, state) => await running.get(key).save(state),

    async finish(key, outcome) {
      if (!running.has(key)) {
        await reads.finish(key, outcome);
        return;
      }
      const entry = await running.get(key).finish(outcome, now());
      running.delete(key);
      if (entry !== undefined) finished.add(entry);
      await finished.deleteExpired();
    },

    async find(key) {
      const known = await reads.find(key);
      if (known !== undefined) return known;
      const found = await cluster.get(entryRef(namespace, agentId, key), signal);
      return found && (await running.known(found));
    },

    list() {
      const open = running.all().flatMap(({ listed }) => listed ?? []);
      return [...finished.list(), ...open].sort((a, b) => a.acceptedAt - b.acceptedAt);
    },

    async takeOver() {
      const labelSelector = entrySelector(agentId, 'running');
      const [found] = await Promise.all([
        cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector }, signal),
        options.signingKey?.load(),
      ]);
      const taken = await takeAll(running, found, onProblem);
      await finished.read();
      taken.sort(({ head: a }, { head: b }) => a.acceptedAt - b.acceptedAt || a.order - b.order);
      return taken.map(({ command }) => command);
    },

    continuing: async (key, isAlone) => await running.get(key).continuing(processId, isAlone),

    async leave() {
      if (signal.aborted) return;
      const left = running.all().map(async (entry) => {
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

async function takeAll(
  running: RunningEntries,
  secrets: readonly KubeObject[],
  onProblem: ClusterJournalOptions['onProblem'],
): Promise<TakenCommand[]> {
  const taken: TakenCommand[] = [];
  for (const secret of secrets) {
    try {
      const one = await running.take(secret);
      if (one !== undefined) taken.push(one);
    } catch (error) {
      if (isPassing(error)) throw error;
      const { name } = secret.metadata;
      onProblem('cannot take over a command of the journal', { code: codeOf(error) ?? 'internal', name });
    }
  }
  return taken;
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
