import { adoptRelease } from '../../protocol/commands/adopt-release.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { oneLine } from '../text.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const adopt: Verb<'adopt_release'> = {
  type: 'adopt_release',
  definition: adoptRelease,
  text: (answer, { args: [name = ''], flags }) => adoptText(name, answer, flags.isOn('dry-run')),
};

function adoptText(name: string, { releases }: CommandAnswers['adopt_release'], isDryRun: boolean): string {
  if (releases.length === 0) return `The revisions of ${name} have been taken over before.\n`;
  const lines = releases.map(({ version, info, chart }) => {
    const { name: chartName = '', version: chartVersion = '' } = chart?.metadata ?? {};
    return `  ${oneLine(`${version} ${info.status} ${chartName}-${chartVersion}`)}`;
  });
  const head = isDryRun ? `Would take over ${name} of Helm 2` : `Took over ${name} of Helm 2`;
  const tail = isDryRun
    ? []
    : [
        'Its objects are unchanged; the next upgrade adds the labels of Helm 3 to them.',
        'Do not change it with helm 2 any more.',
      ];
  return [`${head}, with the revisions:`, ...lines, ...tail, ''].join('\n');
}
