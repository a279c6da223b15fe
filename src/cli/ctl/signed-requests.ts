import { createHash } from 'node:crypto';
import { parseDuration } from '../../go/duration.ts';
import { signCommand } from '../../signatures/command-statement.ts';
import { verifyResult } from '../../signatures/result-statement.ts';
import { SignatureError } from '../../signatures/signature-error.ts';
import type { SigningKeys } from './signing-settings.ts';

/** Time for which a signature is valid if a command does not say how long it may wait. */
const defaultLifetimeMs = 24 * 3_600_000;

/** A command before it has its key. */
interface UnsentCommand {
  type: string;
  payload: object;
  deliverWithin?: string | false;
}

/** The commands of one client, and the signatures of their results. */
export interface SignedRequests {
  /** Returns the body of a request that sends a command, with its signature. */
  bodyOf(agentId: string, key: string, command: UnsentCommand): Promise<object>;
  /** Notes the signature of a result, which comes before it. */
  noteSignature(key: string, envelope: string): void;
  /**
   * Throws `SignatureError` for a success that the agent has not signed. A failure needs no
   * signature, because the control plane can also fail to deliver a command.
   */
  requireResult(key: string, text: string, isSuccess: boolean): void;
}

/** `now` returns milliseconds since the Unix epoch. */
export function signedRequests({ signer, agentKeys }: SigningKeys, now: () => number): SignedRequests {
  const sent = new Map<string, { agentId: string; fingerprint: string }>();
  const signatures = new Map<string, string>();
  return {
    async bodyOf(agentId, key, command) {
      const { type, deliverWithin } = command;
      const payload = JSON.stringify(command.payload);
      sent.set(key, { agentId, fingerprint: createHash('sha256').update(`${type}\n${payload}`).digest('hex') });
      if (signer === undefined) return { ...command, key };
      const lifetimeMs = typeof deliverWithin === 'string' ? milliseconds(deliverWithin) : defaultLifetimeMs;
      const options = { now: now(), lifetimeMs };
      const envelope = await signCommand({ agentId, key, type, payload }, [signer], options);
      return { ...command, payload, key, envelope };
    },
    noteSignature: (key, envelope) => void signatures.set(key, envelope),
    requireResult(key, result, isSuccess) {
      if (agentKeys === undefined) return;
      const envelope = signatures.get(key);
      if (envelope === undefined && !isSuccess) return;
      try {
        if (envelope === undefined) throw new SignatureError('signature_required', 'it is not signed');
        const command = sent.get(key);
        const keys = agentKeys(command?.agentId);
        if (keys === undefined) {
          const agent = command === undefined ? 'the agent of a command that was sent before' : command.agentId;
          throw new SignatureError('signature_required', `--agent-key has no key of ${agent}`);
        }
        verifyResult(envelope, { ...command, key, result }, keys);
      } catch (error) {
        if (!(error instanceof SignatureError)) throw error;
        const message = `the control plane reports a result that the agent has not sent: ${error.message}; look at the cluster itself`;
        throw new SignatureError('signature_invalid', message, error);
      }
    },
  };
}

function milliseconds(duration: string): number {
  return Number(parseDuration(duration)) / 1e6;
}
