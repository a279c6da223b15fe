import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm dependency` */
export const dependencyCommand: Command<HelmContext> = {
  use: 'dependency update|build|list',
  long: `Manage the dependencies of a chart: the charts that its Chart.yaml lists, and that
its folder charts/ contains.

    dependencies:
      - name: redis
        version: ^19.0.0
        repository: oci://registry.example/charts

A repository is a URL of https://, oci:// or file://, or "@NAME" for one that
"repo add" has added.`,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'list',
      short: 'list the dependencies of a chart',
      aliases: ['ls'],
      load: async () => (await import('./list.ts')).dependencyListCommand,
    },
    {
      name: 'update',
      short: 'download the dependencies that Chart.yaml lists',
      aliases: ['up'],
      load: async () => (await import('./update.ts')).dependencyUpdateCommand,
    },
    {
      name: 'build',
      short: 'download the dependencies of Chart.lock',
      load: async () => (await import('./build.ts')).dependencyBuildCommand,
    },
  ],
};
