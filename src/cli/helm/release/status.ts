import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { statusOutput } from '../../ctl/output/status.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { getRelease, revisionFlag } from './get-release.ts';
import { outputFormat } from './output-format.ts';

/** The command `helm status` (pkg/cmd/status.go). */
export const status: Command<HelmContext> = {
  use: 'status RELEASE_NAME',
  long: 'Show the newest revision of a release, or another: its status, notes and tests.',
  examples: ['web', 'web --revision 2 -o yaml'],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), outputFlag],
  async run(invocation) {
    const { flags, context } = invocation;
    const format = outputFormat(flags);
    const answer = await getRelease(invocation);
    const release = releaseOf(answer, format === 'table' ? [] : ['config', 'manifest', 'hooks']);
    context.stdout.write(textOf(format, statusOutput(release, [], context.host)));
  },
};
