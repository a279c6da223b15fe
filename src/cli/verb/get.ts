import { getRelease } from '../../protocol/commands/get-release.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { releaseArgument } from '../../protocol/commands/release-fields.ts';
import { valueMapOfPlain } from '../../release/plain-value.ts';
import { customLabels } from '../../release/storage/storage.ts';
import { type Printable, textOf } from '../ctl/output/format.ts';
import { metadataOutput } from '../ctl/output/metadata.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { allText, hooksText, manifestText, wholeNotesText } from '../ctl/output/release-texts.ts';
import { userValues, valuesOutput } from '../ctl/output/values.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { Printing, Verb } from './verb.ts';

type Answer = CommandAnswers['get_release'];
type GetVerb = Verb<'get_release'>;

const { allValues, ...identity } = getRelease.fields;

/** The commands of the group `get`, each of which prints a part of the answer. */
export const getVerbs: readonly GetVerb[] = [
  part('all', 'Print all parts of a release', ['web'], {
    flagsOnly: { helm: [textFlag('template', 'Go template for the output')] },
    values: (flags) => ({ allValues: !hasTemplate(flags) }),
    text: wholeText,
  }),
  part('values', 'Print the values of a release', ['web', 'web --all -o json'], {
    definition: { ...getRelease, fields: { ...identity, allValues } },
    flags: [outputFlag],
    text(answer, { flags }) {
      const all = flags.isOn('all');
      const values = all ? computedValues(answer) : userValues(releaseOf(answer, ['config']));
      return textOf(outputFormat(flags), valuesOutput(values, { all }));
    },
  }),
  part('manifest', 'Print the objects of a release', ['web', 'web --revision 2'], {
    text: (answer) => manifestText(releaseOf(answer, ['manifest'])),
  }),
  part('hooks', 'Print the hooks of a release', ['web', 'web --revision 2'], {
    text: (answer) => hooksText(releaseOf(answer, ['hooks'])),
  }),
  part('notes', 'Print the notes of a release', ['web', 'web --revision 2'], {
    text: (answer) => wholeNotesText(releaseOf(answer)),
  }),
  part('metadata', 'Print the metadata of a release', ['web', 'web -o yaml'], {
    flags: [outputFlag],
    text(answer, { flags, host }) {
      const { labels = {} } = answer;
      // as in Helm, the labels that Helm sets itself are shown if no revision is named
      const shown = flags.integer('revision') > 0 ? customLabels(labels) : labels;
      return textOf(outputFormat(flags), metadataOutput(releaseOf(answer), shown, host));
    },
  }),
];

function part(
  name: string,
  short: string,
  examples: readonly string[],
  verb: Partial<GetVerb> & Pick<GetVerb, 'text'>,
): GetVerb {
  const definition = { ...getRelease, fields: identity, ...verb.definition };
  const line = { name, short, arguments: [releaseArgument], examples };
  return { type: 'get_release', ...verb, definition: { ...definition, line } };
}

function hasTemplate(flags: FlagValues): boolean {
  return flags.isGiven('template') && flags.text('template') !== '';
}

/** Returns the output of `get all`. With `--template`, Helm fails if it needs computed values. */
async function wholeText(answer: Answer, { flags, host }: Printing): Promise<string> {
  const release = releaseOf(answer, ['config', 'manifest', 'hooks']);
  if (!hasTemplate(flags)) return allText(release, computedValues(answer), host);
  const { executeTemplate } = await import('../helm/environment/execute-template.ts');
  const { releaseObject } = await import('../helm/release/release-object.ts');
  const data = new Map([['Release', releaseObject(release, answer.labels ?? {}, host)]]);
  return executeTemplate(flags.text('template'), data);
}

/** Returns the values that the release was rendered with. */
function computedValues({ values }: Answer): Printable {
  if (values === undefined) throw new Error('the values are too large for a packet');
  return valueMapOfPlain(values);
}
