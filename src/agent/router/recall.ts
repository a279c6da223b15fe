import type { Journal } from '../../journal/index.ts';
import type { Result } from '../../protocol/messages.ts';
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

const unknown: Result = {
  ok: false,
  error: {
    code: 'agent_restarted',
    message: 'the agent was restarted and does not know the command; check the release before you send it again',
  },
};
