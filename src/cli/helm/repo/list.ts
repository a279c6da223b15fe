import { readRepositoriesFile, type RepositoryEntry } from '../../../source/configuration/repositories-file.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { printRows } from '../print-rows.ts';

/** `helm repo list` (pkg/cmd/repo_list.go) */
export const repoListCommand: Command<HelmContext> = {
  use: 'list',
  checkArguments: argumentCount('exactly', 0),
  flags: () => [switchFlag('no-headers', 'do not print the first row of the table'), outputFlag],
  async run({ flags, context: { settings, stdout, stderr } }) {
    const format = flags.text('output');
    const repositories = await known(settings.repositoryConfig);
    if (repositories.length === 0 && format === 'table') {
      stderr.write('no repositories to show\n');
      return;
    }
    const rows = repositories.map(({ name, url }) => ({ name, url }));
    const headings = flags.isOn('no-headers') ? undefined : ['NAME', 'URL'];
    stdout.write(printRows(format, rows, { headings }));
  },
};

/** As in Helm, a file that cannot be read has no repositories. */
async function known(path: string): Promise<readonly RepositoryEntry[]> {
  const file = await readRepositoriesFile(path).catch(() => undefined);
  return file?.repositories ?? [];
}
