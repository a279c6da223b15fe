import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { settingFlags } from '../settings.ts';
import { entryOf, type VerbEntry } from '../verb/index.ts';
import { serverSettings } from './control-plane-client.ts';

/** Returns the command `ctl` with some verbs. */
export function ctlCommand(verbs: readonly VerbEntry[]): Command<ProgramDependencies> {
  return {
    use: 'ctl',
    long: `Send commands to agents through a control plane, and follow them.

The agent waits until a release is ready, and undoes an upgrade that fails.
--helm-defaults of the commands turns that off.`,
    persistentFlags: settingFlags(serverSettings),
    subcommands: [
      ...verbs.flatMap((verb) => entryOf(verb, verb.ctl)),
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
        name: 'login',
        short: 'sign in at the control plane with a browser',
        load: async () => (await import('./sign-in/command.ts')).loginCommand,
      },
      {
        name: 'logout',
        short: 'end the session of ctl login',
        load: async () => (await import('./sign-in/command.ts')).logoutCommand,
      },
      {
        name: 'seal',
        short: 'seal values to the key of an agent',
        load: async () => (await import('./seal.ts')).sealCommand,
      },
      {
        name: 'session',
        short: 'list and end sessions of people',
        aliases: ['sessions'],
        load: async () => (await import('./sign-in/command.ts')).sessionCommand,
      },
      {
        name: 'token',
        short: 'create, list and revoke tokens of users',
        aliases: ['tokens'],
        load: async () => (await import('./token/command.ts')).tokenCommand,
      },
      {
        name: 'audit',
        short: 'print the audit log of the control plane',
        load: async () => (await import('./audit-command.ts')).auditCommand,
      },
      {
        name: 'backup',
        short: 'print a copy of the file of the control plane',
        load: async () => (await import('./backup-command.ts')).backupCommand,
      },
      {
        name: 'recording',
        short: 'list, play and get recordings of sessions',
        aliases: ['recordings'],
        load: async () => (await import('./recording/command.ts')).recordingCommand,
      },
      {
        name: 'rollout',
        short: 'deploy a release to many clusters, in waves',
        aliases: ['rollouts'],
        load: async () => (await import('./rollout/command.ts')).rolloutCommand,
      },
      {
        name: 'whoami',
        short: 'print who you are for the control plane, and your roles',
        load: async () => (await import('./token/command.ts')).whoamiCommand,
      },
      {
        name: 'support-bundle',
        short: 'collect what helps to find out why an agent does not work',
        load: async () => (await import('./support-bundle.ts')).supportBundleCommand,
      },
      {
        name: 'watch',
        aliases: ['follow'],
        short: 'follow a command that has been sent',
        load: async () => (await import('./watch-command.ts')).watchCommand,
      },
    ],
  };
}
