import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { statusOutput } from '../../ctl/output/status.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { getRelease, revisionFlag } from './get-release.ts';
import { outputFormat } from './output-format.ts';

// prettier-ignore
const long = `
This command shows the status of a named release.
The status consists of:
- last deployment time
- k8s namespace in which the release lives
- state of the release (can be: unknown, deployed, uninstalled, superseded, failed, uninstalling, pending-install, pending-upgrade or pending-rollback)
- revision of the release
- description of the release (can be completion message or error message)
- list of resources that this release consists of
- details on last test suite run, if applicable
- additional notes provided by the chart
`;

/** The command `helm status` (pkg/cmd/status.go). */
export const status: Command<HelmContext> = {
  use: 'status RELEASE_NAME',
  long,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag('if set, display the status of the named release with revision'), outputFlag],
  async run(invocation) {
    const { flags, context } = invocation;
    const format = outputFormat(flags);
    const answer = await getRelease(invocation);
    const release = releaseOf(answer, format === 'table' ? [] : ['config', 'manifest', 'hooks']);
    context.stdout.write(textOf(format, statusOutput(release, [], context.host)));
  },
};
