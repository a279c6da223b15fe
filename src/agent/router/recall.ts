import type { Journal } from '../../journal/index.ts';
import { type Journaled, maxJournaled, type Result } from '../../protocol/messages.ts';
import type { Admission } from './admission.ts';
import type { Peer } from './running-command.ts';

/**
 * Sends a peer what is known about commands for which it has no result: the rest of their packets,
 * the result, or the error `agent_restarted` if a key is not known.
 */
export async function recall(
  keys: readonly string[],
  peer: Peer,
  admission: Admission,
  journal: Journal,
): Promise<void> {
  for (const key of keys) {
    if (admission.attach(key, peer)) continue;
    const known = await journal.find(key);
    if (known === undefined) peer.reply({ kind: 'result', key, type: undefined, payload: JSON.stringify(unknown) });
    // without an outcome, another process runs it
    else if (known.outcome !== undefined) {
      peer.reply({ kind: 'result', key, type: undefined, payload: known.outcome, fingerprint: known.fingerprint });
    }
  }
}

/** Sends a peer the commands of the journal that were accepted after a time in milliseconds. */
export function listJournal(after: number, peer: Peer, journal: Journal): void {
  const listed = journal.list().filter(({ acceptedAt }) => acceptedAt > after);
  for (let start = 0; start === 0 || start < listed.length; start += maxJournaled) {
    const commands = listed.slice(start, start + maxJournaled).map(({ acceptedAt, ...command }) => {
      return { ...command, acceptedAt: new Date(acceptedAt).toISOString() };
    });
    const payload = JSON.stringify({ commands } satisfies Journaled);
    peer.reply({ kind: 'journaled', key: undefined, type: undefined, payload });
  }
}

const unknown: Result = {
  ok: false,
  error: {
    code: 'agent_restarted',
    message: 'the agent was restarted and does not know the command; check the release before you send it again',
  },
};
