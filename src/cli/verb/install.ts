import { installRelease } from '../../protocol/commands/install-release.ts';
import { outputFlag } from '../helm/flags/output-flag.ts';
import { deployNotes, deployText, deployValues } from './deployed.ts';
import { nameFlags, releaseAndChart, requireNewReleaseName } from './release-and-chart.ts';
import type { Verb } from './verb.ts';

export const install: Verb<'install_release'> = {
  type: 'install_release',
  definition: installRelease,
  flags: [...nameFlags, outputFlag],
  async argumentValues(line) {
    const names = await releaseAndChart(line);
    requireNewReleaseName(names.releaseName);
    return names;
  },
  values: deployValues,
  text: deployText,
  notes: deployNotes,
};
