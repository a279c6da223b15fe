import type { Release } from '../../../release/release.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { hooksText, manifestText, wholeNotesText } from '../../ctl/output/release-texts.ts';
import type { HelmContext } from '../context.ts';
import { getRelease, revisionFlag } from './get-release.ts';

// prettier-ignore
const manifestLong = `
This command fetches the generated manifest for a given release.

A manifest is a YAML-encoded representation of the Kubernetes resources that
were generated from this release's chart(s). If a chart is dependent on other
charts, those resources will also be included in the manifest.
`;

// prettier-ignore
const hooksLong = `
This command downloads hooks for a given release.

Hooks are formatted in YAML and separated by the YAML '---\\n' separator.
`;

// prettier-ignore
const notesLong = `
This command shows notes provided by the chart of a named release.
`;

/** The command `helm get manifest`. */
export const getManifest = textCommand('manifest', manifestLong, ['manifest'], manifestText);

/** The command `helm get hooks`. */
export const getHooks = textCommand('hooks', hooksLong, ['hooks'], hooksText);

/** The command `helm get notes`. */
export const getNotes = textCommand('notes', notesLong, [], wholeNotesText);

/** Returns a command that prints a part of a release, which needs some of its fields. */
function textCommand(
  name: string,
  long: string,
  fields: readonly string[],
  textOf: (release: Release) => string,
): Command<HelmContext> {
  return {
    use: `${name} RELEASE_NAME`,
    long,
    checkArguments: argumentCount('exactly', 1),
    flags: () => [revisionFlag()],
    async run(invocation) {
      const answer = await getRelease(invocation);
      invocation.context.stdout.write(textOf(releaseOf(answer, fields)));
    },
  };
}
