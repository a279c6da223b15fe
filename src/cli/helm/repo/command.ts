import { rm } from 'node:fs/promises';
import {
  chartListPath,
  indexFolder,
  indexPath,
  requireRepositoryUrl,
  updateIndexes,
} from '../../../downloader/index.ts';
import { messageOf } from '../../../errors/index.ts';
import { quote } from '../../../go/strconv.ts';
import {
  readableRepositories,
  readRepositoriesFile,
  type RepositoryEntry,
  writeRepositoriesFile,
} from '../../../source/configuration/repositories-file.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { durationFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { printRows } from '../print-rows.ts';
import { downloadTimeout, milliseconds } from './timeout.ts';

/** `helm repo update` (pkg/cmd/repo_update.go) */
const repoUpdateCommand: Command<HelmContext> = {
  use: 'update [REPO1 [REPO2 ...]]',
  long: 'Download the indexes of all chart repositories, or of those with the given names.',
  examples: ['', 'podinfo'],
  flags: () => [durationFlag('timeout', downloadTimeout.usage, { initial: downloadTimeout.initial })],
  async run({ args, flags, context }) {
    const known = await repositoriesOf(context.settings.repositoryConfig);
    const missing = args.find((name) => known.every((entry) => entry.name !== name));
    if (missing !== undefined) {
      throw new Error(`no repositories found matching '${missing}'.  Nothing will be updated`);
    }
    const wanted = args.length === 0 ? known : known.filter(({ name }) => args.includes(name));
    for (const { url } of wanted) await requireRepositoryUrl(url);
    context.stdout.write('Hang tight while we grab the latest from your chart repositories...\n');
    const failed = await updateIndexes(wanted, context, milliseconds(flags.duration('timeout')));
    if (failed.length > 0) throw new Error(`failed to update the following repositories: [${failed.join(' ')}]`);
    context.stdout.write('Update Complete. ⎈Happy Helming!⎈\n');
  },
};

async function repositoriesOf(path: string): Promise<readonly RepositoryEntry[]> {
  const file = await readRepositoriesFile(path).catch((cause: unknown) => {
    const reason = messageOf(cause);
    throw new Error(`failed loading file: ${path}: ${reason}`, { cause });
  });
  if (file !== undefined && file.repositories.length > 0) return file.repositories;
  throw new Error('no repositories found. You must add one before updating');
}

/** `helm repo index` (pkg/cmd/repo_index.go) */
const repoIndexCommand: Command<HelmContext> = {
  use: 'index [DIR]',
  long: `Write index.yaml into a folder of archives, which makes it a chart repository.

--merge adds the charts of another index; those of the folder win.`,
  examples: ['./charts --url https://charts.example', './charts --merge old-index.yaml'],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    textFlag('url', 'URL of the repository, for the addresses of the charts'),
    textFlag('merge', 'file with an index whose charts are added'),
    switchFlag('json', 'write JSON'),
  ],
  async run({ args: [folder = ''], flags, context: { host, log } }) {
    const options = { url: flags.text('url'), merge: flags.text('merge'), isJson: flags.isOn('json') };
    await indexFolder(folder, options, host, log);
  },
};

/** `helm repo remove` (pkg/cmd/repo_remove.go) */
const repoRemoveCommand: Command<HelmContext> = {
  use: 'remove [REPO1 [REPO2 ...]]',
  checkArguments: argumentCount('at least', 1),
  async run({ args, context }) {
    const { settings, stdout } = context;
    const file = await readRepositoriesFile(settings.repositoryConfig);
    if (file === undefined || file.repositories.length === 0) throw new Error('no repositories configured');
    let { repositories } = file;
    for (const name of args) {
      const remaining = repositories.filter((entry) => entry.name !== name);
      if (remaining.length === repositories.length) throw new Error(`no repo named ${quote(name)} found`);
      repositories = remaining;
      await writeRepositoriesFile(settings.repositoryConfig, { ...file, repositories });
      await rm(chartListPath(name, context), { force: true });
      await rm(indexPath(name, context), { force: true });
      stdout.write(`${quote(name)} has been removed from your repositories\n`);
    }
  },
};

/** `helm repo list` (pkg/cmd/repo_list.go) */
const repoListCommand: Command<HelmContext> = {
  use: 'list',
  checkArguments: argumentCount('exactly', 0),
  flags: () => [switchFlag('no-headers', 'do not print the first row of the table'), outputFlag],
  async run({ flags, context: { settings, stdout, stderr } }) {
    const format = flags.text('output');
    const repositories = await readableRepositories(settings.repositoryConfig);
    if (repositories.length === 0 && format === 'table') {
      stderr.write('no repositories to show\n');
      return;
    }
    const rows = repositories.map(({ name, url }) => ({ name, url }));
    const headings = flags.isOn('no-headers') ? undefined : ['NAME', 'URL'];
    stdout.write(printRows(format, rows, { headings }));
  },
};

/** `helm repo` */
export const repoCommand: Command<HelmContext> = {
  use: 'repo add|remove|list|index|update [ARGS]',
  long: 'Manage the list of chart repositories, whose charts are known as NAME/CHART.',
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'add',
      short: 'add a chart repository',
      load: async () => (await import('./add.ts')).repoAddCommand,
    },
    {
      name: 'list',
      short: 'list the chart repositories',
      aliases: ['ls'],
      load: () => Promise.resolve(repoListCommand),
    },
    {
      name: 'remove',
      short: 'remove chart repositories',
      aliases: ['rm'],
      load: () => Promise.resolve(repoRemoveCommand),
    },
    {
      name: 'index',
      short: 'write the index of a folder of archives',
      load: () => Promise.resolve(repoIndexCommand),
    },
    {
      name: 'update',
      short: 'download the indexes of chart repositories',
      aliases: ['up'],
      load: () => Promise.resolve(repoUpdateCommand),
    },
  ],
};
