import { rm } from 'node:fs/promises';
import { quote } from '../../../go/strconv.ts';
import { readRepositoriesFile, writeRepositoriesFile } from '../../../source/configuration/repositories-file.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { chartListPath, indexPath } from '../download/repository-index.ts';

/** `helm repo remove` (pkg/cmd/repo_remove.go) */
export const repoRemoveCommand: Command<HelmContext> = {
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
