import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { indexFolder } from './index-folder.ts';

/** `helm repo index` (pkg/cmd/repo_index.go) */
export const repoIndexCommand: Command<HelmContext> = {
  use: 'index [DIR]',
  // prettier-ignore
  long: `
Read the current directory, generate an index file based on the charts found
and write the result to 'index.yaml' in the current directory.

This tool is used for creating an 'index.yaml' file for a chart repository. To
set an absolute URL to the charts, use '--url' flag.

To merge the generated index with an existing index file, use the '--merge'
flag. In this case, the charts found in the current directory will be merged
into the index passed in with --merge, with local charts taking priority over
existing charts.
`,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    textFlag('url', 'url of chart repository'),
    textFlag('merge', 'merge the generated index into the given index'),
    switchFlag('json', 'output in JSON format'),
  ],
  async run({ args: [folder = ''], flags, context: { host, log } }) {
    const options = { url: flags.text('url'), merge: flags.text('merge'), isJson: flags.isOn('json') };
    await indexFolder(folder, options, host, log);
  },
};
