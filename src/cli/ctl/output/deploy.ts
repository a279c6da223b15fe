import type { Host } from '../../../go/host.ts';
import type { Release } from '../../../release/release.ts';
import { chartFields } from './chart-fields.ts';
import type { Output } from './format.ts';
import { releaseFields } from './release-fields.ts';
import { hooksText, manifestText } from './release-texts.ts';
import { headText, notesText, testSuiteText } from './status.ts';

/**
 * Returns the output of `helm install`, which `helm upgrade` has after its first line. As in Helm,
 * a dry run also has hooks and manifest.
 */
export function deployOutput(release: Release, host: Host): Output {
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
