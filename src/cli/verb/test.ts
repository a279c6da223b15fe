import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { testRelease } from '../../protocol/commands/test-release.ts';
import { releaseOf } from '../ctl/output/print.ts';
import { headText, testSuiteText } from '../ctl/output/status.ts';
import { commaListFlag } from '../pflag/flag.ts';
import type { Verb } from './verb.ts';

export const test: Verb<'test_release'> = {
  type: 'test_release',
  definition: testRelease,
  flags: [
    commaListFlag(
      'filter',
      'run only the test name=NAME, or not the test !name=NAME; may be repeated or separated by commas',
    ),
  ],
  values: (flags) => namesOfFilters(flags.list('filter')),
  text({ release: answered, logs = [] }, { flags, host }) {
    const release = releaseOf({ release: answered }, ['hooks']);
    const texts = logs.map(({ pod, container, log }) => `POD LOGS: ${pod} (${container})\n${log}\n`);
    const logText = flags.isOn('logs') ? `\n${texts.join('')}` : '';
    return headText(release, host) + testSuiteText(release, host) + logText;
  },
  failure(answer, { program, flags }) {
    const { failure } = answer;
    if (program === 'ctl' || !flags.isOn('logs')) return failure;
    const missing = missingPods(answer, namesOfFilters(flags.list('filter')));
    const messages = [...(failure === undefined ? [] : [failure.message]), ...missing];
    return messages.length === 0 ? undefined : { code: failure?.code ?? 'not_found', message: messages.join('\n') };
  },
};

/** Helm looks for a pod with the name of each test, which fails for those of other kinds. */
function missingPods(
  { release }: CommandAnswers['test_release'],
  { include, exclude = [] }: ReturnType<typeof namesOfFilters>,
): string[] {
  const { hooks = [] } = releaseOf({ release }, ['hooks']);
  const [included, excluded] = [include && new Set(include), new Set(exclude)];
  return hooks
    .filter(({ kind, events }) => kind !== 'Pod' && events.includes('test'))
    .filter(({ name }) => !excluded.has(name) && included?.has(name) !== false)
    .map(({ name }) => `unable to get pod ${name}: pods ${JSON.stringify(name)} not found`);
}

/** Reads filters of tests as Helm does, which ignores any other (pkg/cmd/release_testing.go). */
function namesOfFilters(filters: readonly string[]) {
  const include = filters.flatMap((text) => /^name=(.*)/s.exec(text)?.[1] ?? []);
  const exclude = filters.flatMap((text) => /^!\s?name=(.*)/s.exec(text)?.[1] ?? []);
  return { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
}
