import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { shellWord } from '../text/shell-word.ts';
import { wholeId } from './waiting-plans.ts';

/** The commands that approve a plan. Absent: the agent has sent no valid names for it. */
export interface ApprovalCommands {
  readonly ctl?: string;
  readonly kubectl?: string;
}

/** A name of Kubernetes. It cannot be read as a flag of a command. */
const name = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const planId = /^[^/@\s-][^/@\s]*\/[^/@\s]+@[0-9a-f]{64}$/;

/** Returns the commands that approve a plan: by a key of the policy, or in the cluster. */
export function approvalCommands(
  agentId: string,
  plan: Pick<CommandAnswers['get_plan'], 'plan' | 'digest' | 'secret'>,
): ApprovalCommands {
  const id = wholeId(plan);
  if (!planId.test(id)) return {};
  const agent = agentId.startsWith('-') ? `--agent=${shellWord(agentId)}` : `--agent ${shellWord(agentId)}`;
  const [namespace = '', secret = '', ...rest] = plan.secret?.split('/') ?? [];
  const isSecret = name.test(namespace) && name.test(secret) && rest.length === 0;
  return {
    ctl: `helm-agent ctl approve-plan ${shellWord(id)} \\\n  ${agent} --sign-key KEY.pem`,
    ...(isSecret && {
      kubectl: `kubectl annotate secret -n ${namespace} ${secret} \\\n  helm-agent/approved=${plan.digest}`,
    }),
  };
}
