import { upgradeRelease } from '../../protocol/commands/upgrade-release.ts';
import type { Release } from '../../release/release.ts';
import { outputFlag } from '../helm/flags/output-flag.ts';
import { switchFlag } from '../pflag/flag.ts';
import { deployNotes, deployText, deployValues } from './deployed.ts';
import { requireReleaseName } from './release-and-chart.ts';
import type { Verb } from './verb.ts';

export const upgrade: Verb<'upgrade_release' | 'install_release'> = {
  type: (flags) => (flags.isOn('install') ? 'install_release' : 'upgrade_release'),
  definition: upgradeRelease,
  flags: [switchFlag('install', 'install the release if it does not exist', { shorthand: 'i' }), outputFlag],
  argumentValues({ args }) {
    const [releaseName = '', chartName = ''] = args;
    requireReleaseName(releaseName);
    return { releaseName, chartName };
  },
  values: (flags, given) => ({ ...deployValues(flags, given), ...(flags.isOn('install') && { upgrade: true }) }),
  text: (answer, printing) => deployText(answer, printing, upgradedText),
  notes: deployNotes,
};

/** Returns the first line of `helm upgrade`, which depends on whether it has installed. */
function upgradedText({ name, info }: Release): string {
  return info.first_deployed !== undefined && info.first_deployed === info.last_deployed
    ? `Release ${JSON.stringify(name)} does not exist. Installing it now.\n`
    : `Release ${JSON.stringify(name)} has been upgraded. Happy Helming!\n`;
}
