import { getPolicy as definition } from '../../protocol/commands/get-policy.ts';
import { printable } from '../text.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const policy: Verb<'get_policy'> = {
  type: 'get_policy',
  definition,
  isOfAll: () => true,
  text({ policy: text, sha256 = '' }) {
    if (text === undefined) return 'The agent has no policy: it performs all commands that its rights allow.\n';
    return `# sha256:${sha256}\n${printable(text)}`;
  },
};
