import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { allText } from '../../ctl/output/release-texts.ts';
import { textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { computedValues, getRelease, revisionFlag } from './get-release.ts';

// prettier-ignore
const long = `
This command prints a human readable collection of information about the
notes, hooks, supplied values, and generated manifest file of the given release.
`;

/** The command `helm get all` (pkg/cmd/get_all.go). */
export const getAll: Command<HelmContext> = {
  use: 'all RELEASE_NAME',
  long,
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), textFlag('template', 'go template for formatting the output, eg: {{.Release.Name}}')],
  async run(invocation) {
    const { flags, context } = invocation;
    if (flags.text('template') !== '') {
      throw new Error('helm-agent has no --template; use helm get values, manifest, hooks, notes or metadata');
    }
    const answer = await getRelease(invocation, { allValues: true });
    const release = releaseOf(answer, ['config', 'manifest', 'hooks']);
    context.stdout.write(allText(release, computedValues(answer), context.host));
  },
};
