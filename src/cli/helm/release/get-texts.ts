import type { Release } from '../../../release/release.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { releaseOf } from '../../ctl/output/print.ts';
import { hooksText, manifestText, wholeNotesText } from '../../ctl/output/release-texts.ts';
import type { HelmContext } from '../context.ts';
import { getRelease, revisionFlag } from './get-release.ts';

export const getManifest = textCommand('manifest', ['manifest'], manifestText);

export const getHooks = textCommand('hooks', ['hooks'], hooksText);

export const getNotes = textCommand('notes', [], wholeNotesText);

/** Returns a command that prints a part of a release, which needs some of its fields. */
function textCommand(
  name: string,
  fields: readonly string[],
  textOf: (release: Release) => string,
): Command<HelmContext> {
  return {
    use: `${name} RELEASE_NAME`,
    examples: ['web', 'web --revision 2'],
    checkArguments: argumentCount('exactly', 1),
    flags: () => [revisionFlag()],
    async run(invocation) {
      const answer = await getRelease(invocation);
      invocation.context.stdout.write(textOf(releaseOf(answer, fields)));
    },
  };
}
