import type { CommandType } from '../../protocol/commands/index.ts';
import type { Command } from '../cobra/command.ts';
import type { Verb } from '../verb/verb.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { settingFlags } from '../settings.ts';
import { serverSettings } from './control-plane-client.ts';

/** Returns the command of a verb of the table. */
async function ctlCommandOf<Type extends CommandType>(verb: Verb<Type>): Promise<Command<ProgramDependencies>> {
  return (await import('../verb/ctl-verb.ts')).ctlVerb(verb);
}

async function getGroup(): Promise<Command<ProgramDependencies>> {
  const { ctlEntry } = await import('../verb/ctl-verb.ts');
  const { getVerbs } = await import('../verb/get.ts');
  return { use: 'get', subcommands: getVerbs.map((verb) => ctlEntry(verb, 'get')) };
}

async function planGroup(): Promise<Command<ProgramDependencies>> {
  const { ctlEntry } = await import('../verb/ctl-verb.ts');
  const { planOf } = await import('../verb/plan.ts');
  const { install } = await import('../verb/install.ts');
  const { upgrade } = await import('../verb/upgrade.ts');
  const { rollback } = await import('../verb/rollback.ts');
  const { uninstall } = await import('../verb/uninstall.ts');
  return {
    use: 'plan',
    long: 'Show what a command would do, and record it as a plan.',
    subcommands: [
      ctlEntry(planOf(install), 'plan'),
      ctlEntry(planOf(upgrade), 'plan'),
      ctlEntry(planOf(rollback), 'plan'),
      ctlEntry(planOf(uninstall), 'plan'),
    ],
  };
}

export const ctlCommand: Command<ProgramDependencies> = {
  use: 'ctl',
  long: `Send commands to agents through a control plane, and follow them.

The agent waits until a release is ready, and undoes an upgrade that fails.
--helm-defaults of the commands turns that off.`,
  persistentFlags: settingFlags(serverSettings),
  subcommands: [
    {
      name: 'install',
      short: 'install a chart',
      load: async () => ctlCommandOf((await import('../verb/install.ts')).install),
    },
    {
      name: 'upgrade',
      short: 'upgrade a release',
      load: async () => ctlCommandOf((await import('../verb/upgrade.ts')).upgrade),
    },
    {
      name: 'rollback',
      short: 'roll back a release to an older revision',
      load: async () => ctlCommandOf((await import('../verb/rollback.ts')).rollback),
    },
    {
      name: 'uninstall',
      aliases: ['del', 'delete', 'un'],
      short: 'uninstall releases',
      load: async () => ctlCommandOf((await import('../verb/uninstall.ts')).uninstall),
    },
    {
      name: 'test',
      short: 'run the tests of a release',
      load: async () => ctlCommandOf((await import('../verb/test.ts')).test),
    },
    {
      name: 'adopt',
      short: 'take over a release of Helm 2',
      load: async () => ctlCommandOf((await import('../verb/adopt.ts')).adopt),
    },
    {
      name: 'template',
      short: 'render a chart with the cluster of an agent',
      load: async () => ctlCommandOf((await import('../verb/template.ts')).template),
    },
    {
      name: 'diff',
      short: 'show what an installation or upgrade would change',
      load: async () => ctlCommandOf((await import('../verb/diff.ts')).diff),
    },
    { name: 'plan', short: 'plan an operation', load: planGroup },
    {
      name: 'apply-plan',
      short: 'perform a plan',
      load: async () => ctlCommandOf((await import('../verb/apply-plan.ts')).applyPlan),
    },
    {
      name: 'list',
      aliases: ['ls'],
      short: 'list the releases of an agent',
      load: async () => ctlCommandOf((await import('../verb/list.ts')).list),
    },
    {
      name: 'status',
      short: 'show a release, and whether its objects are ready',
      load: async () => ctlCommandOf((await import('../verb/status.ts')).status),
    },
    {
      name: 'history',
      aliases: ['hist'],
      short: 'list the revisions of a release',
      load: async () => ctlCommandOf((await import('../verb/history.ts')).history),
    },
    { name: 'get', short: 'print a part of a release', load: getGroup },
    {
      name: 'agents',
      short: 'list the agents',
      load: async () => (await import('./agent-commands.ts')).agentsCommand,
    },
    {
      name: 'enrol',
      short: 'invite an agent: print how to install it, and wait for it',
      suggestFor: ['enroll', 'invite'],
      load: async () => (await import('./enrol/command.ts')).enrolCommand,
    },
    {
      name: 'accept-agent',
      short: 'let an agent in that has enrolled and waits',
      load: async () => (await import('./enrol/command.ts')).acceptAgentCommand,
    },
    {
      name: 'revoke-agent',
      short: 'end the key of an agent, and its connections',
      load: async () => (await import('./enrol/command.ts')).revokeAgentCommand,
    },
    {
      name: 'forget-agent',
      short: 'end the commands of an agent that will not come back',
      load: async () => (await import('./agent-commands.ts')).forgetAgentCommand,
    },
    {
      name: 'watch',
      aliases: ['follow'],
      short: 'follow a command that has been sent',
      load: async () => (await import('./watch-commands.ts')).watchCommand,
    },
    {
      name: 'cancel',
      short: 'cancel a command that runs or waits',
      load: async () => (await import('./watch-commands.ts')).cancelCommand,
    },
  ],
};
