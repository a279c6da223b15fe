import { diffRelease } from '../../protocol/commands/diff-release.ts';
import { diffText } from '../ctl/output/diff.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const diff: Verb<'diff_release'> = {
  type: 'diff_release',
  definition: diffRelease,
  text: diffText,
};
