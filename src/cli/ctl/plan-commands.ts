import type { Command } from 'commander';
import type { CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import { shellWord } from '../shell-word.ts';
import { oneLine } from '../text.ts';
import { addInstall, addUpgrade } from './deploy-commands.ts';
import { planText } from './output/plan.ts';
import { shown } from './output/print.ts';
import type { CtlSession } from './session.ts';

const actions: Partial<Record<CommandType, CommandParameters['plan_release']['action']>> = {
  install_release: 'install',
  upgrade_release: 'upgrade',
};

/** Adds `ctl plan install`. */
export function planInstall(ctl: Command, session: CtlSession): void {
  addInstall(ctl.command('plan'), planningSession(session));
}

/** Adds `ctl plan upgrade`. */
export function planUpgrade(ctl: Command, session: CtlSession): void {
  addUpgrade(ctl.command('plan'), planningSession(session));
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
