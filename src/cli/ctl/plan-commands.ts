import type { Command } from 'commander';
import type { CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import { shellWord } from '../shell-word.ts';
import { oneLine } from '../text.ts';
import { addInstall, addUpgrade, deployNote } from './deploy-commands.ts';
import { planText } from './output/plan.ts';
import { shown } from './output/print.ts';
import { successText } from './result-text.ts';
import { addRollback } from './rollback-command.ts';
import type { CtlSession, Flags } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption } from './subcommand.ts';
import { addUninstall } from './uninstall-command.ts';

const actions: Partial<Record<CommandType, CommandParameters['plan_release']['action']>> = {
  install_release: 'install',
  upgrade_release: 'upgrade',
  rollback_release: 'rollback',
  uninstall_release: 'uninstall',
};

/** Adds `ctl plan`, whose commands have the arguments and flags of those that they plan. */
export function addPlan(ctl: Command, session: CtlSession): void {
  const plan = ctl.command('plan').description('Show what a command would do, and record it as a plan');
  const planning = planningSession(session);
  addInstall(plan, planning);
  addUpgrade(plan, planning);
  addRollback(plan, planning);
  addUninstall(plan, planning);
}

/** Adds `ctl apply-plan`. */
export function addApplyPlan(ctl: Command, session: CtlSession): void {
  addSubcommand(ctl, 'apply-plan', 'Do what a plan says', ['apply-plan demo/podinfo@3f9c2a7b81d4 --agent edge-1'])
    .argument('<plan>', 'id of the plan')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .option('-n, --namespace <namespace>', 'namespace of the release, which the id of the plan names already')
    .action(async (plan: string, flags: Flags & { namespace?: string }) => {
      requireNamespace(plan, flags.namespace);
      const { stdout } = session.dependencies;
      await session.perform(
        flags,
        'apply_plan',
        { plan },
        {
          text: (answer) => shown((deployNote(answer) ?? '') + successText({ ok: true, ...answer }), stdout),
        },
      );
    });
}

/** Throws an error if a namespace is not that of a plan such as `demo/podinfo@3f9c2a7b81d4`. */
function requireNamespace(plan: string, given: string | undefined): void {
  const [namespace = ''] = plan.split('/');
  if (given === undefined || given === namespace) return;
  throw new Error(`the plan ${plan} is for namespace ${namespace}, not ${given}; leave -n out`);
}

/** Returns a session that plans the commands that it is to send. */
function planningSession(session: CtlSession): CtlSession {
  const { stdout, programName } = session.dependencies;
  return {
    ...session,
    async perform(flags, type, payload, { chart } = {}) {
      const text = (answer: Parameters<typeof planText>[0]) => {
        if (flags['output'] === 'json') return `${JSON.stringify(answer)}\n`;
        const command = `${programName} ctl apply-plan ${shellWord(answer.plan)} --agent ${shellWord(session.agentOf(flags))}`;
        return shown(`${planText(answer)}To apply it: ${oneLine(command)}\n`, stdout);
      };
      return await session.perform(flags, 'plan_release', planParameters(type, payload), { text, chart });
    },
  };
}

function planParameters(type: CommandType, payload: object): CommandParameters['plan_release'] {
  const action = actions[type];
  if (action === undefined) throw new Error(`${type} cannot be planned`);
  if ('dryRun' in payload && payload.dryRun !== undefined) {
    throw new Error('leave out --dry-run: a plan changes nothing');
  }
  // the payloads of these commands, with the action, are those of a plan
  return { ...payload, action } as CommandParameters['plan_release'];
}
