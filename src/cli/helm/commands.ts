import type { CommandEntry } from '../cobra/command.ts';
import type { HelmContext } from './context.ts';
import { missingCommand } from './missing-command.ts';

type Entry = CommandEntry<HelmContext>;

/** Returns a function that loads a command that helm-agent does not have. */
function missing(name: string, instead = 'use helm for it'): Entry['load'] {
  return () => Promise.resolve(missingCommand(name, instead));
}

/** Helm's commands, in its own order (pkg/cmd/root.go). Each is loaded when it is used. */
const helmCommands: readonly Entry[] = [
  { name: 'create', short: 'create a new chart with the given name', load: missing('create') },
  {
    name: 'dependency',
    short: "manage a chart's dependencies",
    aliases: ['dep', 'dependencies'],
    load: async () => (await import('./dependency/command.ts')).dependencyCommand,
  },
  {
    name: 'pull',
    short: 'download a chart from a repository and (optionally) unpack it in local directory',
    aliases: ['fetch'],
    load: async () => (await import('./charts/pull.ts')).pullCommand,
  },
  {
    name: 'show',
    short: 'show information of a chart',
    aliases: ['inspect'],
    load: async () => (await import('./charts/show.ts')).showCommand,
  },
  {
    name: 'lint',
    short: 'examine a chart for possible issues',
    load: async () => (await import('./charts/lint.ts')).lintCommand,
  },
  {
    name: 'package',
    short: 'package a chart directory into a chart archive',
    load: async () => (await import('./charts/package.ts')).packageCommand,
  },
  {
    name: 'repo',
    short: 'add, list, remove, update, and index chart repositories',
    load: async () => (await import('./repo/command.ts')).repoCommand,
  },
  {
    name: 'search',
    short: 'search for a keyword in charts',
    load: async () => (await import('./search/command.ts')).searchCommand,
  },
  {
    name: 'verify',
    short: 'verify that a chart at the given path has been signed and is valid',
    load: async () => (await import('./charts/verify.ts')).verifyCommand,
  },
  {
    name: 'get',
    short: 'download extended information of a named release',
    load: async () => (await import('./release/get.ts')).get,
  },
  {
    name: 'history',
    short: 'fetch release history',
    aliases: ['hist'],
    load: async () => (await import('./release/history.ts')).history,
  },
  { name: 'install', short: 'install a chart', load: async () => (await import('./release/install.ts')).install },
  { name: 'list', short: 'list releases', aliases: ['ls'], load: async () => (await import('./release/list.ts')).list },
  { name: 'test', short: 'run tests for a release', load: async () => (await import('./release/test.ts')).test },
  {
    name: 'rollback',
    short: 'roll back a release to a previous revision',
    load: async () => (await import('./release/rollback.ts')).rollback,
  },
  {
    name: 'status',
    short: 'display the status of the named release',
    load: async () => (await import('./release/status.ts')).status,
  },
  {
    name: 'template',
    short: 'locally render templates',
    load: async () => (await import('./charts/template.ts')).templateCommand,
  },
  {
    name: 'uninstall',
    short: 'uninstall a release',
    aliases: ['del', 'delete', 'un'],
    suggestFor: ['remove', 'rm'],
    load: async () => (await import('./release/uninstall.ts')).uninstall,
  },
  { name: 'upgrade', short: 'upgrade a release', load: async () => (await import('./release/upgrade.ts')).upgrade },
  {
    name: 'completion',
    short: 'generate autocompletion scripts for the specified shell',
    load: async () => (await import('./environment/completion.ts')).completionCommand,
  },
  {
    name: 'env',
    short: 'helm client environment information',
    load: async () => (await import('./environment/env.ts')).envCommand,
  },
  {
    name: 'plugin',
    short: 'install, list, or uninstall Helm plugins',
    load: missing('plugin', 'it does not run plugins'),
  },
  {
    name: 'version',
    short: 'print the helm version information',
    load: async () => (await import('./environment/version.ts')).versionCommand,
  },
  { name: 'docs', short: 'generate documentation as markdown or man pages', isHidden: true, load: missing('docs') },
  {
    name: 'registry',
    short: 'login to or logout from a registry',
    load: async () => (await import('./registry/command.ts')).registryCommand,
  },
  { name: 'push', short: 'push a chart to remote', load: async () => (await import('./charts/push.ts')).pushCommand },
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
    short: 'Request shell completion choices for the specified command-line',
    isHidden: true,
    async load() {
      const { completeCommand } = await import('./environment/complete.ts');
      return completeCommand(() => helmCommands, { hasDescriptions });
    },
  };
}
