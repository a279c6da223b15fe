import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { indexFolder } from './index-folder.ts';

/** `helm repo index` (pkg/cmd/repo_index.go) */
export const repoIndexCommand: Command<HelmContext> = {
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
