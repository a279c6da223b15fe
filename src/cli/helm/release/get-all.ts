import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { allText } from '../../ctl/output/release-texts.ts';
import { textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { releaseObject } from './release-object.ts';
import { computedValues, getRelease, revisionFlag } from './get-release.ts';

/** The command `helm get all` (pkg/cmd/get_all.go). */
export const getAll: Command<HelmContext> = {
  use: 'all RELEASE_NAME',
  long: 'Print the values, the notes, the hooks and the manifest of a release.',
  examples: ['web', "web --template '{{.Release.Name}}'"],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), textFlag('template', 'Go template for the output')],
  async run(invocation) {
    const { flags, context } = invocation;
    const template = flags.text('template');
    const answer = await getRelease(invocation, { allValues: template === '' });
    const release = releaseOf(answer, ['config', 'manifest', 'hooks']);
    if (template !== '') {
      const { executeTemplate } = await import('../environment/execute-template.ts');
      const fields = { Release: releaseObject(release, answer.labels ?? {}, context.host) };
      context.stdout.write(executeTemplate(template, fields));
      return;
    }
    context.stdout.write(allText(release, computedValues(answer), context.host));
  },
};
