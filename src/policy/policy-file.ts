import { openOwnerFile } from '../rights/owner-file.ts';
import { type CommandPolicy, decide } from './command-policy.ts';
import {
  compileConditions,
  type CompiledPolicy,
  createPassed,
  openConditions,
} from './conditions/command-conditions.ts';
import type { ConditionEvaluator } from './conditions/condition.ts';
import { PolicyError } from './policy-error.ts';
import { readPolicy } from './policy-rules.ts';
import type { ClusterTime, PolicyScope } from './policy-scope.ts';

/** The policy of the owner of a cluster. */
export interface Policy {
  /**
   * Returns what the policy, as it is now, allows a command that begins, is continued, or has begun
   * and makes another change (`again`). Rejects with `PolicyError` `denied_by_policy`, or
   * `policy_invalid` if the file cannot be used as it is now.
   */
  decide(scope: PolicyScope, when: 'begins' | 'continued' | 'again'): Promise<CommandPolicy>;
}

interface PolicyOptions {
  evaluator: ConditionEvaluator;
  /** The time of windows, conditions and signatures. */
  clusterTime: ClusterTime;
}

/**
 * Opens a policy file. It is read for each command, so that a change counts at once; a file that is
 * wrong refuses all commands. Rejects with `PolicyError` if it is wrong now.
 */
export async function openPolicyFile(path: string, { evaluator, clusterTime }: PolicyOptions): Promise<Policy> {
  const read = async (text: string) => ({ ...(await compilePolicy(text, evaluator)), text, passed: createPassed() });
  const current = await openOwnerFile(path, read, (problem, cause) => {
    const message = `the policy file ${path} cannot be used: ${problem}; let the owner of the cluster correct it`;
    return new PolicyError('policy_invalid', message, { cause });
  });
  return {
    async decide(scope, when) {
      const policy = await current();
      // a command cannot wait for a window that only the clock of this machine has
      const begins = new Date(clusterTime().earliest);
      const time = when === 'continued' ? when : { begins, isAccepted: when === 'again' };
      const source = { text: policy.text, paused: policy.rules.paused };
      const limits = { ...decide(policy.rules, scope, time, clusterTime), source };
      const rule = policy.rules.rules.find(({ name }) => name === limits.rule);
      if (rule?.conditions === undefined) return limits;
      return { ...limits, conditions: await openConditions(rule, scope, time, policy) };
    },
  };
}

/** Reads the text of a policy. Rejects with an Error that says what is wrong, and where. */
export async function compilePolicy(text: string, evaluator: ConditionEvaluator): Promise<CompiledPolicy> {
  const rules = readPolicy(text);
  return { rules, evaluator, reads: await compileConditions(rules, evaluator) };
}
