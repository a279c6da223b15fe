import type { CommandEntry } from '../cobra/command.ts';
import { entryOf, type VerbEntry } from '../verb/index.ts';
import type { HelmContext } from './context.ts';
import { missingCommand } from './missing-command.ts';

type Entry = CommandEntry<HelmContext>;

/** Returns a function that loads a command that helm-agent does not have. */
function missing(name: string, instead = 'use helm for it'): Entry['load'] {
  return () => Promise.resolve(missingCommand(name, instead));
}

/** Helm's commands, in its own order (pkg/cmd/root.go). Each is loaded when it is used. */
function helmCommands(verbs: readonly VerbEntry[]): readonly Entry[] {
  return [
    { name: 'create', short: 'not available: create a chart', load: missing('create') },
    {
      name: 'dependency',
      short: 'manage the dependencies of a chart',
      aliases: ['dep', 'dependencies'],
      load: async () => (await import('./charts/dependency.ts')).dependencyCommand,
    },
    {
      name: 'pull',
      short: 'download a chart',
      aliases: ['fetch'],
      load: async () => (await import('./charts/archive-commands.ts')).pullCommand,
    },
    {
      name: 'show',
      short: 'show information about a chart',
      aliases: ['inspect'],
      load: async () => (await import('./charts/show.ts')).showCommand,
    },
    {
      name: 'lint',
      short: 'check charts for possible problems',
      load: async () => (await import('./charts/lint.ts')).lintCommand,
    },
    {
      name: 'package',
      short: 'pack a chart into an archive',
      load: async () => (await import('./charts/package.ts')).packageCommand,
    },
    {
      name: 'repo',
      short: 'manage the list of chart repositories',
      load: async () => (await import('./repo/command.ts')).repoCommand,
    },
    {
      name: 'search',
      short: 'search for charts',
      load: async () => (await import('./search/command.ts')).searchCommand,
    },
    {
      name: 'verify',
      short: 'check the signature of a chart',
      load: async () => (await import('./charts/archive-commands.ts')).verifyCommand,
    },
    ...verbs.flatMap((verb) => entryOf(verb, verb.helm)),
    {
      name: 'completion',
      short: 'print a script for completion in a shell',
      load: async () => (await import('../completion/command.ts')).completionCommand('helm'),
    },
    {
      name: 'env',
      short: 'print the variables and folders in use',
      load: async () => (await import('./environment/env.ts')).envCommand,
    },
    {
      name: 'plugin',
      short: 'not available: manage plugins',
      load: missing('plugin', 'it does not run plugins'),
    },
    {
      name: 'version',
      short: 'print the version',
      load: async () => (await import('./environment/version.ts')).versionCommand,
    },
    { name: 'docs', short: 'not available: write documentation', isHidden: true, load: missing('docs') },
    {
      name: 'registry',
      short: 'log in to a registry, or out',
      load: async () => (await import('./registry/command.ts')).registryCommand,
    },
    {
      name: 'push',
      short: 'upload a chart to a registry',
      load: async () => (await import('./charts/archive-commands.ts')).pushCommand,
    },
  ];
}

/**
 * Returns the commands for arguments. As in cobra, those of completion scripts are there only when
 * they are called.
 */
export function commandsFor([first]: readonly string[], all: readonly VerbEntry[]): readonly Entry[] {
  const commands = helmCommands(all);
  const isCompletion = first === '__complete' || first === '__completeNoDesc';
  return isCompletion ? [...commands, completeEntry(first, commands)] : commands;
}

function completeEntry(name: string, commands: readonly Entry[]): Entry {
  return {
    name,
    short: 'print candidates for a shell',
    isHidden: true,
    async load() {
      const { completeCommand } = await import('./environment/complete.ts');
      return completeCommand(() => commands, { hasDescriptions: name === '__complete' });
    },
  };
}
