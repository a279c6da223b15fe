import { getRelease } from '../../protocol/commands/get-release.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { releaseArgument, releaseIdentity, revisionField } from '../../protocol/commands/release-fields.ts';
import { releaseStatus } from '../../protocol/commands/release-status.ts';
import { watchRelease } from '../../protocol/commands/watch-release.ts';
import { textOf } from '../ctl/output/format.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { type Resource, statusOutput } from '../ctl/output/status.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { switchFlag } from '../pflag/flag.ts';
import type { Printing, Verb } from './verb.ts';

/** The verb of `ctl`, which sends another command for `--watch`. */
export const status: Verb<'release_status' | 'watch_release'> = {
  type: (flags) => (flags.isOn('watch') ? 'watch_release' : 'release_status'),
  definition: { ...releaseStatus, fields: watchRelease.fields },
  flags: [outputFlag, switchFlag('watch', 'show each change until Ctrl-C; with -o json, each event as a line of JSON')],
  values(flags, { timeout }) {
    const isWatch = flags.isOn('watch');
    const isYaml = outputFormat(flags) === 'yaml';
    if (isWatch && isYaml) throw new Error('--watch shows a table or, with -o json, lines of JSON');
    if (!isWatch && timeout !== undefined) throw new Error('--timeout is only for --watch');
    return {};
  },
  shows(flags) {
    if (!flags.isOn('watch')) return 'nothing';
    return outputFormat(flags) === 'json' ? 'json' : 'changes';
  },
  text: (answer, printing) => statusText(answer, answer.resources, printing),
};

/** The verb of `helm`, which does not look at the objects of the release. */
export const storedStatus: Verb<'get_release'> = {
  type: 'get_release',
  definition: {
    right: getRelease.right,
    fields: { ...releaseIdentity, version: revisionField },
    line: {
      name: 'status',
      short: 'Show a release',
      long: 'Show the newest revision of a release, or another: its status, notes and tests.',
      arguments: [releaseArgument],
      examples: ['web', 'web --revision 2 -o yaml'],
    },
  },
  flags: [outputFlag],
  text: (answer, printing) => statusText(answer, [], printing),
};

function statusText(
  answer: CommandAnswers['get_release'],
  resources: readonly Resource[],
  { flags, host }: Printing,
): string {
  const format = outputFormat(flags);
  const release = releaseOf(answer, format === 'table' ? [] : ['config', 'manifest', 'hooks']);
  return textOf(format, statusOutput(release, resources, host));
}
