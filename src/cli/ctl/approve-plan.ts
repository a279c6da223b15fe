import { parseDuration } from '../../go/duration.ts';
import { currentDate } from '../../go/host.ts';
import type { CommandAnswers, CommandParameters } from '../../protocol/commands/index.ts';
import { plannedChanges } from '../../protocol/commands/plan-release.ts';
import { type ApprovedPlan, maxApprovedPlans, signApproval } from '../../signatures/approval-statement.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command, Invocation } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { customFlag } from '../pflag/flag.ts';
import { readSettings, settingError } from '../settings.ts';
import { oneLine } from '../text.ts';
import { planText } from '../verb/plan.ts';
import { requireDuration } from './duration-flag.ts';
import { answerSchema, resultOf } from './follow.ts';
import { shown } from './output/print.ts';
import { readAs } from './read-as.ts';
import { failureText } from './result-text.ts';
import { sendFlags, sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';
import { readSigningKeys, signingSchema, signingSettings } from './signing-settings.ts';

const digest = '3f9c2a7b81d4'.padEnd(64, '0');

export const approvePlanCommand: Command<ProgramDependencies> = {
  use: 'approve-plan [AGENT=]PLAN ...',
  long: `Approve plans with the key of --sign-key, which the policy of the owner of the cluster
names. Each PLAN has all 64 characters of its digest, as "ctl get-plan" prints it.

One signature approves several plans, also of several agents, if all of them would
change the same: their actions, charts, hooks, CRDs and differences must be equal.
Values of Secrets are masked, so they may differ. A plan that is out of date when it
is performed is deleted, with its approvals.`,
  examples: [`demo/podinfo@${digest} --sign-key alice.pem --agent edge-1`],
  checkArguments: argumentCount('at least', 1),
  flags: () => [
    ...sendFlags(),
    customFlag('duration', 'valid-for', 'time until the approval expires (default: 24h, like the plan)', {
      initial: '24h',
    }),
  ],
  run: approve,
};

async function approve({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const { stdout, stderr, host } = context;
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const validFor = flags.text('valid-for');
  requireDuration('--valid-for', '', validFor);
  const { signer } = await readSigningKeys(readSettings(signingSchema, signingSettings, sent, context.env), context);
  if (signer === undefined) throw settingError(signingSettings.signKey, 'name the file with the key to approve with');
  const plans = args.map((text) => planOf(text, () => session.agentOf(sent)));
  const client = await session.client(sent);
  const { signal } = new AbortController();

  /** Sends a command, and returns its answer. Throws an error if it fails. */
  const ask = async <Type extends 'get_plan' | 'approve_plan'>(
    agent: string,
    type: Type,
    payload: CommandParameters[Type],
  ): Promise<CommandAnswers[Type]> => {
    const { key } = await client.send(agent, { type, payload, deliverWithin: false }, signal);
    const result = await resultOf(client, key, { signal });
    if (!result.ok)
      throw new Error(
        `${agent}: ${failureText(result.error)
          .replace(/^Error: /, '')
          .trim()}`,
      );
    return readAs(answerSchema(type, context.table), result, 'result');
  };

  const found: CommandAnswers['get_plan'][] = [];
  for (const { agentId, plan } of plans) found.push(await ask(agentId, 'get_plan', { plan }));
  requireEqual(plans, found);
  const [first] = found;
  if (first !== undefined) stdout.write(shown(planText(first), stdout));
  const options = { now: currentDate(host).getTime(), lifetimeMs: Number(parseDuration(validFor)) / 1e6 };
  let hasFailed = false;
  for (let start = 0; start < plans.length; start += maxApprovedPlans) {
    const some = plans.slice(start, start + maxApprovedPlans);
    const approval = await signApproval(some, [signer], options);
    for (const { agentId, plan } of some) {
      try {
        const { approvals } = await ask(agentId, 'approve_plan', { plan, approval });
        const by = [...new Set(approvals.flatMap((one) => one.by))];
        stdout.write(`${oneLine(`${agentId}: approved ${plan}; its approvals are by ${by.join(', ')}`)}\n`);
      } catch (error) {
        hasFailed = true;
        stderr.write(`Error: ${oneLine(error instanceof Error ? error.message : String(error))}\n`);
      }
    }
  }
  return hasFailed ? 1 : 0;
}

/** Reads an argument. Throws an Error for a plan without its whole digest. */
function planOf(text: string, agentOf: () => string): ApprovedPlan {
  const [, agentId = agentOf(), plan = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(text) ?? [];
  if (/^[^/@]+\/[^/@]+@[0-9a-f]{64}$/.test(plan)) return { agentId, plan };
  throw new Error(
    `${plan}: an approval is for all 64 characters of the digest of a plan, as ctl get-plan prints them after it has shown the plan`,
  );
}

/** Throws an Error unless all plans are those of the arguments, and would change the same. */
function requireEqual(plans: readonly ApprovedPlan[], found: readonly CommandAnswers['get_plan'][]): void {
  const [first] = found.map(changesOf);
  for (const [index, answer] of found.entries()) {
    const { agentId = '', plan = '' } = plans[index] ?? {};
    if (!plan.endsWith(`@${answer.digest}`))
      throw new Error(`${agentId}: the agent has shown another plan than ${plan}`);
    if (changesOf(answer) === first) continue;
    throw new Error(
      `${agentId}: the plan ${plan} would not change the same as ${plans[0]?.plan ?? ''} of ${plans[0]?.agentId ?? ''}; approve it on its own`,
    );
  }
}

/** Returns what a plan would change, as text to compare. */
function changesOf(plan: CommandAnswers['get_plan']): string {
  return JSON.stringify(plannedChanges(plan));
}
