import type { Host } from '../../../go/host.ts';
import type { Release } from '../../../release/release.ts';
import { type Printable, yamlText } from './format.ts';
import { headText, notesText, testSuiteText } from './status.ts';
import { userValues } from './values.ts';

/** Returns the output of `helm get manifest`. */
export function manifestText({ manifest }: Release): string {
  return `${manifest}\n`;
}

/** Returns the output of `helm get hooks`. */
export function hooksText({ hooks = [] }: Release): string {
  return hooks.map(({ path, manifest }) => `---\n# Source: ${path}\n${manifest}\n`).join('');
}

/** Returns the output of `helm get notes`, which keeps the end of the notes as it is. */
export function wholeNotesText({ info: { notes = '' } }: Release): string {
  return notes === '' ? '' : `NOTES:\n${notes}\n`;
}

/** Returns the output of `helm get all`. */
export function allText(release: Release, computedValues: Printable, host: Host): string {
  return [
    headText(release, host, true),
    testSuiteText(release, host),
    `USER-SUPPLIED VALUES:\n${yamlText(userValues(release))}\n`,
    `COMPUTED VALUES:\n${yamlText(computedValues)}\n`,
    `HOOKS:\n${hooksText(release)}`,
    `MANIFEST:\n${manifestText(release)}`,
    notesText(release),
  ].join('');
}
