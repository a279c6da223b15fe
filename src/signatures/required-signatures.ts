import type { TimeRange } from '../objects/cluster.ts';
import { type CommandPacket, verifyCommand } from './command-statement.ts';
import { SignatureError } from './signature-error.ts';
import type { VerifiedSignature } from './statement.ts';
import { holdersOf, keysAt, type RequiredSigners, type TrustedKey } from './trusted-keys.ts';

/** A command as it arrived. */
export interface SentCommandPacket extends CommandPacket {
  /** JSON text. Undefined for a command that is not signed. */
  envelope: string | undefined;
}

export interface VerifyOptions {
  /** Begins errors: `rule production of the policy`. */
  rule: string;
  keys: readonly TrustedKey[];
  now: TimeRange;
  /** Whether the command was accepted before, while its signatures had not expired. */
  isAccepted: boolean;
}

/**
 * Returns the signature of a command that a rule requires. Throws `SignatureError`, which names the
 * rule.
 */
export function requireSignatures(
  packet: SentCommandPacket | undefined,
  required: RequiredSigners,
  { rule, keys, now, isAccepted }: VerifyOptions,
): VerifiedSignature<TrustedKey> {
  if (packet?.envelope === undefined) {
    const advice = 'sign it with --sign-key, or send it by a control plane and a client that forward signatures';
    throw new SignatureError('signature_required', `${rule} requires ${signersText(required)}; ${advice}`);
  }
  let verified: VerifiedSignature<TrustedKey>;
  try {
    verified = verifyCommand(packet.envelope, packet, keysAt(keys, now), isAccepted ? undefined : now);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new SignatureError(error.code, `${rule} refuses the signature of the command: ${error.message}`, error);
  }
  const given = holdersOf(verified.signers, required);
  if (given.length >= required.count) return verified;
  const found = given.length === 0 ? 'none of them' : `only ${given.join(', ')}`;
  throw new SignatureError(
    'signature_required',
    `${rule} requires ${signersText(required)}, and ${found} has signed the command with a key of the policy`,
  );
}

/** Returns required signatures in words. */
function signersText({ count, roles }: RequiredSigners): string {
  return `${count === 1 ? 'a signature' : `${count} signatures of different holders`} with the role ${roles.join(' or ')}`;
}
