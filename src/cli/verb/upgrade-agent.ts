import { upgradeAgent as definition } from '../../protocol/commands/upgrade-agent.ts';
import { oneLine } from '../text.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const upgradeAgent: Verb<'upgrade_agent'> = {
  type: 'upgrade_agent',
  definition,
  text: ({ from, revision, image, pod }) =>
    `${oneLine(`The agent works at revision ${revision} with ${image} in pod ${pod}. Revision ${from} was the one before.`)}\n`,
};
