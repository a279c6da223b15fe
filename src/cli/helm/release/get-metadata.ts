import { customLabels } from '../../../release/storage/storage.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textOf } from '../../ctl/output/format.ts';
import { metadataOutput } from '../../ctl/output/metadata.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import type { HelmContext } from '../context.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { outputFormat } from './output-format.ts';
import { getRelease, revisionFlag } from './get-release.ts';

/** The command `helm get metadata` (pkg/cmd/get_metadata.go). */
export const getMetadata: Command<HelmContext> = {
  use: 'metadata RELEASE_NAME',
  checkArguments: argumentCount('exactly', 1),
  flags: () => [revisionFlag(), outputFlag],
  async run(invocation) {
    const { flags, context } = invocation;
    const answer = await getRelease(invocation);
    const { labels = {} } = answer;
    // as in Helm, the labels that Helm sets itself are shown if no revision is named
    const shown = flags.integer('revision') > 0 ? customLabels(labels) : labels;
    const output = metadataOutput(releaseOf(answer), shown, context.host);
    context.stdout.write(textOf(outputFormat(flags), output));
  },
};
