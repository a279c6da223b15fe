import type * as z from 'zod';
import type { Verb } from '../../../src/cli/verb/verb.ts';
import { paintRelease } from './paint-release.ts';

/** The third file of a verb: how its answer is printed. */
export const paint: Verb<'paint_release', z.output<typeof paintRelease.answer>> = {
  type: 'paint_release',
  definition: paintRelease,
  text: ({ painted }, { program }) => `${program} painted ${painted}\n`,
};
