import { createPublicKey } from 'node:crypto';
import { matchesPattern } from '../protocol/pattern.ts';
import { fingerprintOf } from '../signatures/public-key.ts';
import type { PolicyChartKey } from './chart-keys.ts';
import { refused } from './policy-error.ts';
import type { PolicyRule, PolicyRules } from './policy-rules.ts';

/** Who has signed a chart. */
interface SignedBy {
  /** Name of the key. */
  readonly by: string;
  /** Fingerprint of the key. */
  readonly key: string;
  readonly issuer?: string;
  readonly identity?: string;
}

/** The signatures of charts that a command needs. */
export interface ChartSignaturePolicy {
  /**
   * Returns what to verify. The command can ask for more than the rule, and never for less.
   * Undefined if nothing is verified.
   */
  verification(asked: 'always' | 'if-present' | 'never' | undefined): ChartVerification | undefined;
  /**
   * Throws `PolicyError` unless the rule allows a chart with this signature, or without one.
   *
   * @param problem why there is none
   */
  require(signature: SignedBy | undefined, problem?: string): void;
}

interface ChartVerification {
  mode: 'always' | 'if-present';
  keys: readonly PolicyChartKey[];
}

/** Returns the signatures of charts that a rule requires. `rule` is undefined for the default. */
export function chartSignatures(
  { chartKeys }: Pick<PolicyRules, 'chartKeys'>,
  rule: Pick<PolicyRule, 'name' | 'verify'> | undefined,
): ChartSignaturePolicy {
  const verify = rule?.verify;
  const names = verify?.keys;
  const keys = names === undefined ? chartKeys : chartKeys.filter(({ name }) => names.includes(name));
  return {
    verification(asked = 'never') {
      if (asked === 'always' || verify?.mode === 'always') return { mode: 'always', keys };
      return asked === 'if-present' || verify !== undefined ? { mode: 'if-present', keys } : undefined;
    },
    require(signature, problem) {
      if (rule === undefined || verify === undefined) return;
      if (problem !== undefined) throw refused(rule, 'verify', problem);
      if (signature === undefined) {
        if (verify.mode === 'always') throw refused(rule, 'verify', 'the chart has no signature that was verified');
      } else if (!keys.some((key) => isSignedBy(key, signature))) {
        throw refused(
          rule,
          'verify',
          `the chart is signed by ${signature.by} (${signature.identity ?? signature.key})`,
        );
      }
    },
  };
}

/** Whether a signature, which may have been verified by an earlier policy, is by a key. */
function isSignedBy({ name, publicKey, keyless }: PolicyChartKey, { by, key, issuer, identity }: SignedBy): boolean {
  if (name !== by) return false;
  if (publicKey !== undefined) return fingerprintOf(createPublicKey(publicKey)) === key;
  if (keyless === undefined) return identity === undefined;
  return issuer === keyless.issuer && identity !== undefined && matchesPattern(keyless.identity, identity);
}
