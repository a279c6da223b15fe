import { driftRelease } from '../../protocol/commands/drift-release.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import type { Failure } from '../../protocol/messages.ts';
import { valueOfPlain } from '../../release/plain-value.ts';
import { driftText } from '../ctl/output/drift.ts';
import { textOf } from '../ctl/output/format.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { listFlag, switchFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { Verb } from './verb.ts';

/** The exit code of `ctl drift` if an object differs. */
const driftCode = 2;

type DriftType = 'drift_release' | 'watch_release' | 'correct_release';

/** Helm does not have this verb. It sends other commands for `--watch` and `--correct`. */
export const drift: Verb<DriftType> = {
  type: typeOf,
  definition: driftRelease,
  flags: [
    outputFlag,
    listFlag(
      'ignore',
      'JSON pointer of a field that may differ: /spec/replicas, or Deployment/web:/spec/replicas of one object; * ignores the whole object; may be repeated',
    ),
    switchFlag('watch', 'show each change until Ctrl-C; with -o json, each event as a line of JSON'),
    switchFlag('correct', 'put back what differs; with --watch, each time that it is changed'),
  ],
  values(flags) {
    const ignore = flags.list('ignore');
    const isWatch = flags.isOn('watch');
    if (isWatch && outputFormat(flags) === 'yaml')
      throw new Error('--watch shows lines or, with -o json, lines of JSON');
    const type = typeOf(flags);
    return {
      ...(ignore.length > 0 && { ignore }),
      ...(type === 'watch_release' && { drift: true }),
      ...(type === 'correct_release' && isWatch && { watch: true }),
    };
  },
  shows(flags) {
    if (flags.isOn('watch')) return outputFormat(flags) === 'json' ? 'json' : 'changes';
    return flags.isOn('correct') ? 'progress' : 'nothing';
  },
  text(answer, { flags }) {
    if (failureOf(answer) !== undefined) return '';
    const found = driftOf(answer);
    return textOf(outputFormat(flags), { table: () => driftText(found), data: () => valueOfPlain(found) });
  },
  failure: failureOf,
  exitCode: (answer, { flags }) => (!flags.isOn('correct') && driftOf(answer).drift.length > 0 ? driftCode : 0),
};

function typeOf(flags: FlagValues): DriftType {
  if (flags.isOn('correct')) return 'correct_release';
  return flags.isOn('watch') ? 'watch_release' : 'drift_release';
}

/** An answer without a comparison does not say whether something differs. */
function failureOf(answer: CommandAnswers[DriftType]): Failure | undefined {
  return 'uncompared' in answer ? answer.uncompared : undefined;
}

function driftOf(answer: CommandAnswers[DriftType]): CommandAnswers['drift_release'] {
  if (!('release' in answer)) return answer;
  const { release, resources, drift: found = [] } = answer;
  return { revision: release.version, drift: found, unchanged: resources.length - found.length };
}
