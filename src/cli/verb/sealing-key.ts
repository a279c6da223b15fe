import { getSealingKey as definition } from '../../protocol/commands/get-sealing-key.ts';
import type { Verb } from './verb.ts';

/** Helm does not have this verb. */
export const sealingKey: Verb<'get_sealing_key'> = {
  type: 'get_sealing_key',
  definition,
  isOfAll: () => true,
  // a line for a file, with the fingerprint as its comment
  text: ({ sealingKey: line, keyId }) => `${line} ${keyId}\n`,
};
