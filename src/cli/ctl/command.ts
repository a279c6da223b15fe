import type { Command } from 'commander';
import type { ProgramDependencies } from '../dependencies.ts';
import { addAdopt } from './adopt-command.ts';
import { addAgents, addForgetAgent } from './agent-commands.ts';
import { addInstall, addUpgrade } from './deploy-commands.ts';
import { addGet } from './get-commands.ts';
import { addHistory } from './history-command.ts';
import { addList } from './list-command.ts';
import { addApplyPlan, addPlan } from './plan-commands.ts';
import { addDiff, addTemplate } from './render-commands.ts';
import { addRollback } from './rollback-command.ts';
import { createSession } from './session.ts';
import { addStatus } from './status-command.ts';
import { addTest } from './test-command.ts';
import { addUninstall } from './uninstall-command.ts';
import { addCancel, addFollow } from './watch-commands.ts';

/** Adds `ctl` and its commands. They set the exit code in `exit`. */
export function addCtl(program: Command, dependencies: ProgramDependencies, exit: { code: number }): void {
  const ctl = program.command('ctl').description('Send commands to agents through a control plane, and follow them');
  const session = createSession(dependencies, exit);
  addInstall(ctl, session);
  addUpgrade(ctl, session);
  addRollback(ctl, session);
  addUninstall(ctl, session);
  addTest(ctl, session);
  addAdopt(ctl, session);
  addTemplate(ctl, session);
  addDiff(ctl, session);
  addPlan(ctl, session);
  addApplyPlan(ctl, session);
  addList(ctl, session);
  addStatus(ctl, session);
  addHistory(ctl, session);
  addGet(ctl, session);
  addAgents(ctl, session);
  addForgetAgent(ctl, session);
  addFollow(ctl, session);
  addCancel(ctl, session);
}
