import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import type { Release } from '../../../release/release.ts';
import { deployOutput } from '../../ctl/output/deploy.ts';
import { textOf } from '../../ctl/output/format.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { releaseFields } from '../../ctl/output/release-fields.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { chartFields } from './chart-fields.ts';
import { outputFormat } from './output-format.ts';

type Answer = CommandAnswers['install_release'];

/** Prints a release that was installed or upgraded, as the flags say. */
export function printDeployed(answer: Answer, flags: FlagValues, { stdout, host }: HelmContext): void {
  const release = releaseOf(answer, ['manifest', 'hooks']);
  const format = outputFormat(flags);
  const shown = format === 'table' && flags.isOn('hide-notes') ? withoutNotes(release) : release;
  const output = { ...deployOutput(shown, host), data: () => withChart(release) };
  stdout.write(textOf(format, output));
}

/** The chart is the third field of a release. */
function withChart(release: Release) {
  const { name, info, ...fields } = releaseFields(release);
  return { name, info, chart: chartFields(release), ...fields };
}

function withoutNotes({ info: { notes: _, ...info }, ...release }: Release): Release {
  return { ...release, info };
}
