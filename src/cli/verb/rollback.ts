import { rollbackRelease } from '../../protocol/commands/rollback-release.ts';
import type { Verb } from './verb.ts';

export const rollback: Verb<'rollback_release'> = {
  type: 'rollback_release',
  definition: rollbackRelease,
  isUndone: true,
  text: () => 'Rollback was a success! Happy Helming!\n',
};
