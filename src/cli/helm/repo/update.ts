import { messageOf } from '../../../errors/index.ts';
import { readRepositoriesFile, type RepositoryEntry } from '../../../source/configuration/repositories-file.ts';
import type { Command } from '../../cobra/command.ts';
import { durationFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { requireRepositoryUrl } from '../download/repository-index.ts';
import { updateIndexes } from '../download/update-indexes.ts';
import { downloadTimeout, milliseconds } from './timeout.ts';

/** `helm repo update` (pkg/cmd/repo_update.go) */
export const repoUpdateCommand: Command<HelmContext> = {
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
    for (const { url } of wanted) requireRepositoryUrl(url);
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
