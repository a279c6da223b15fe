import { openOwnerFile } from '../rights/owner-file.ts';
import {
  type ClusterTime,
  type CommandPolicy,
  decide,
  type DecisionTime,
  PolicyError,
  type PolicyScope,
} from './command-policy.ts';
import { readPolicy } from './policy-rules.ts';

/** The policy of the owner of a cluster. */
export interface Policy {
  /**
   * Returns what the policy, as it is now, allows a command. Rejects with `PolicyError`
   * `denied_by_policy`, or `policy_invalid` if the file cannot be used as it is now.
   */
  decide(scope: PolicyScope, time: DecisionTime): Promise<CommandPolicy>;
}

/**
 * Opens a policy file. It is read for each command, so that a change counts at once; a file that is
 * wrong refuses all commands. Signatures expire by `clusterTime`. Rejects with `PolicyError` if it
 * is wrong now.
 */
export async function openPolicyFile(path: string, clusterTime: ClusterTime): Promise<Policy> {
  const current = await openOwnerFile(path, readPolicy, (problem, cause) => {
    const message = `the policy file ${path} cannot be used: ${problem}; let the owner of the cluster correct it`;
    return new PolicyError('policy_invalid', message, cause);
  });
  return { decide: async (scope, time) => decide(await current(), scope, time, clusterTime) };
}
