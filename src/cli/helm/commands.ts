import { argumentCount } from '../cobra/argument-count.ts';
import type { Command, CommandEntry } from '../cobra/command.ts';
import type { HelmContext } from './context.ts';
import type { ReleaseCommand } from './release/releases.ts';
import type { Verb } from '../verb/verb.ts';
import { missingCommand } from './missing-command.ts';

type Entry = CommandEntry<HelmContext>;

/** Returns the command of a verb of the table. */
async function helmCommand<Type extends ReleaseCommand>(verb: Verb<Type>): Promise<Command<HelmContext>> {
  return (await import('../verb/helm-verb.ts')).helmVerb(verb);
}

async function getGroup(): Promise<Command<HelmContext>> {
  const { helmEntry } = await import('../verb/helm-verb.ts');
  const { getVerbs } = await import('../verb/get.ts');
  return { use: 'get', checkArguments: argumentCount('exactly', 0), subcommands: getVerbs.map(helmEntry) };
}

/** Returns a function that loads a command that helm-agent does not have. */
function missing(name: string, instead = 'use helm for it'): Entry['load'] {
  return () => Promise.resolve(missingCommand(name, instead));
}

/** Helm's commands, in its own order (pkg/cmd/root.go). Each is loaded when it is used. */
const helmCommands: readonly Entry[] = [
  { name: 'create', short: 'not available: create a chart', load: missing('create') },
  {
    name: 'dependency',
    short: 'manage the dependencies of a chart',
    aliases: ['dep', 'dependencies'],
    load: async () => (await import('./dependency/command.ts')).dependencyCommand,
  },
  {
    name: 'pull',
    short: 'download a chart',
    aliases: ['fetch'],
    load: async () => (await import('./charts/pull.ts')).pullCommand,
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
    load: async () => (await import('./charts/verify.ts')).verifyCommand,
  },
  {
    name: 'get',
    short: 'print a part of a release',
    load: getGroup,
  },
  {
    name: 'history',
    short: 'list the revisions of a release',
    aliases: ['hist'],
    load: async () => helmCommand((await import('../verb/history.ts')).history),
  },
  { name: 'install', short: 'install a chart', load: async () => (await import('../verb/helm-deploy.ts')).helmInstall },
  {
    name: 'list',
    short: 'list releases',
    aliases: ['ls'],
    load: async () => helmCommand((await import('../verb/list.ts')).list),
  },
  {
    name: 'test',
    short: 'run the tests of a release',
    load: async () => helmCommand((await import('../verb/test.ts')).test),
  },
  {
    name: 'rollback',
    short: 'roll back a release to an older revision',
    load: async () => helmCommand((await import('../verb/rollback.ts')).rollback),
  },
  {
    name: 'status',
    short: 'show a release',
    load: async () => helmCommand((await import('../verb/status.ts')).storedStatus),
  },
  {
    name: 'template',
    short: 'render a chart and print its manifests',
    load: async () => (await import('./charts/template.ts')).templateCommand,
  },
  {
    name: 'uninstall',
    short: 'uninstall releases',
    aliases: ['del', 'delete', 'un'],
    suggestFor: ['remove', 'rm'],
    load: async () => helmCommand((await import('../verb/uninstall.ts')).uninstall),
  },
  {
    name: 'upgrade',
    short: 'upgrade a release',
    load: async () => (await import('../verb/helm-deploy.ts')).helmUpgrade,
  },
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
    load: async () => (await import('./charts/push.ts')).pushCommand,
  },
];

/**
 * Returns the commands for arguments. As in cobra, those of completion scripts are there only when
 * they are called.
 */
export function commandsFor([first]: readonly string[]): readonly Entry[] {
  const isCompletion = first === '__complete' || first === '__completeNoDesc';
  return isCompletion ? [...helmCommands, completeEntry(first, first === '__complete')] : helmCommands;
}

function completeEntry(name: string, hasDescriptions: boolean): Entry {
  return {
    name,
    short: 'print candidates for a shell',
    isHidden: true,
    async load() {
      const { completeCommand } = await import('./environment/complete.ts');
      return completeCommand(() => helmCommands, { hasDescriptions });
    },
  };
}
