import type { Host } from '../../go/host.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import type { Release } from '../../release/release.ts';
import { dryRunOf } from '../ctl/helm-values.ts';
import { chartFields } from '../ctl/output/chart-fields.ts';
import { differenceText } from '../ctl/output/diff.ts';
import { type Output, textOf } from '../ctl/output/format.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { releaseFields } from '../ctl/output/release-fields.ts';
import { hooksText, manifestText } from '../ctl/output/release-texts.ts';
import { headText, notesText, testSuiteText } from '../ctl/output/status.ts';
import { deployNote, successText } from '../ctl/result-text.ts';
import { outputFormat } from '../helm/flags/output-flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { Printing } from './verb.ts';

type Answer = CommandAnswers['install_release'];

/** Returns the values of fields that several flags of an installation or an upgrade give. */
export function deployValues(
  flags: FlagValues,
  { crds }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (crds !== 'skip' && flags.isOn('skip-crds')) throw new Error('--skip-crds and --crds exclude each other');
  // as in Helm, JSON and YAML have the notes
  return outputFormat(flags) === 'table' ? {} : { hideNotes: undefined };
}

/**
 * Returns the text about a deployed release: as helm has it with `--output`, for a dry run and with
 * the defaults of helm, and otherwise the fields of the release.
 */
export function deployText(
  answer: Answer,
  printing: Printing,
  firstLine: (release: Release) => string = () => '',
): string {
  if (!isHelms(printing)) return (deployNote(answer) ?? '') + successText({ ok: true, ...answer });
  const release = releaseOf(answer, ['manifest', 'hooks']);
  const format = outputFormat(printing.flags);
  const text = textOf(format, deployOutput(release, printing.host));
  return format === 'table' ? (deployNote(answer) ?? firstLine(release)) + text : text;
}

/** Returns what a dry run would change, as lines beside the output of helm. */
export function deployNotes({ differences = [] }: Answer, printing: Printing): string[] {
  const isShown = isHelms(printing) && outputFormat(printing.flags) === 'table';
  return isShown ? differences.flatMap((difference) => differenceText(difference).trimEnd().split('\n')) : [];
}

function isHelms({ flags, hasHelmDefaults }: Printing): boolean {
  return hasHelmDefaults || flags.isGiven('output') || isDryRun(flags);
}

function isDryRun(flags: FlagValues): boolean {
  return flags.isGiven('dry-run') && dryRunOf(flags.text('dry-run')) !== undefined;
}

/**
 * Returns the output of `helm install`, which `helm upgrade` has after its first line. As in Helm,
 * a dry run also has hooks and manifest.
 */
function deployOutput(release: Release, host: Host): Output {
  const isDryRun = release.info.description?.toLowerCase() === 'dry run complete';
  const parts = isDryRun ? `HOOKS:\n${hooksText(release)}MANIFEST:\n${manifestText(release)}` : '';
  return {
    table: () => headText(release, host) + testSuiteText(release, host) + parts + notesText(release),
    data() {
      // the chart is the third field
      const { name, info, ...fields } = releaseFields(release);
      return { name, info, chart: chartFields(release), ...fields };
    },
  };
}
