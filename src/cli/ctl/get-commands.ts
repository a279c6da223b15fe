import type { Command } from 'commander';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { customLabels } from '../../release/storage/storage.ts';
import { valueMapOfPlain } from '../../release/plain-value.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { integer } from './integer.ts';
import { textOf, type OutputFormat, type Printable } from './output/format.ts';
import { outputOption } from './output/output-option.ts';
import { metadataOutput } from './output/metadata.ts';
import { releaseOf, shown } from './output/print.ts';
import { allText, hooksText, manifestText, wholeNotesText } from './output/release-texts.ts';
import { userValues, valuesOutput } from './output/values.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';

interface GetFlags {
  [flag: string]: unknown;
  namespace?: string;
  revision?: number;
}

interface OutputFlags extends GetFlags {
  output: OutputFormat;
}

type Answer = CommandAnswers['get_release'];

/** Adds `ctl get` and its commands, one for each part of a release. */
export function addGet(ctl: Command, session: CtlSession): void {
  const { host } = session.dependencies;
  const get = ctl.command('get').description('Print a part of a release');

  function add(name: string, description: string): Command {
    return addSubcommand(get, name, description, [`get ${name} podinfo --agent edge-1 -n demo`])
      .argument('<name>', 'name of the release')
      .addOption(agentOption())
      .addOption(deliverWithinOption())
      .addOption(namespaceOption())
      .option('--revision <number>', 'the revision (default: the newest)', integer);
  }

  async function print(releaseName: string, flags: GetFlags, allValues: boolean, textFor: (answer: Answer) => string) {
    const payload = { releaseName, namespace: flags.namespace, version: flags.revision };
    await session.perform(
      flags,
      'get_release',
      { ...payload, ...(allValues && { allValues }) },
      {
        quiet: true,
        text: (answer) => shown(textFor(answer), session.dependencies.stdout),
      },
    );
  }

  const commands = [
    add('values', 'Print the values of a release')
      .option('-a, --all', "print the chart's defaults, too")
      .addOption(outputOption())
      .action((name: string, flags: OutputFlags & { all?: boolean }) => {
        const { all = false, output } = flags;
        return print(name, flags, all, (answer) =>
          textOf(
            output,
            valuesOutput(all ? computedValues(answer) : userValues(releaseOf(answer, ['config'])), { all }),
          ),
        );
      }),
    add('manifest', 'Print the objects of a release').action((name: string, flags: GetFlags) =>
      print(name, flags, false, (answer) => manifestText(releaseOf(answer, ['manifest']))),
    ),
    add('hooks', 'Print the hooks of a release').action((name: string, flags: GetFlags) =>
      print(name, flags, false, (answer) => hooksText(releaseOf(answer, ['hooks']))),
    ),
    add('notes', 'Print the notes of a release').action((name: string, flags: GetFlags) =>
      print(name, flags, false, (answer) => wholeNotesText(releaseOf(answer))),
    ),
    add('metadata', 'Print the metadata of a release')
      .addOption(outputOption())
      .action((name: string, flags: OutputFlags) =>
        print(name, flags, false, (answer) =>
          textOf(flags.output, metadataOutput(releaseOf(answer), labelsOf(answer, flags), host)),
        ),
      ),
    add('all', 'Print all parts of a release').action((name: string, flags: GetFlags) =>
      print(name, flags, true, (answer) =>
        allText(releaseOf(answer, ['config', 'manifest', 'hooks']), computedValues(answer), host),
      ),
    ),
  ];
  for (const command of commands) {
    readLikePflag(command);
    refuseHelmFlags(command, 'ctl');
  }
}

/** As in Helm, the labels that Helm sets itself are shown if no revision is named. */
function labelsOf({ labels = {} }: Answer, { revision = 0 }: GetFlags): Record<string, string> {
  return revision === 0 ? labels : customLabels(labels);
}

function computedValues({ values }: Answer): Printable {
  if (values === undefined) throw new Error('the values are too large for a packet');
  return valueMapOfPlain(values);
}
