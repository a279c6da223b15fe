import { uninstallRelease } from '../../protocol/commands/uninstall-release.ts';
import type { Verb } from './verb.ts';

export const uninstall: Verb<'uninstall_release'> = {
  type: 'uninstall_release',
  definition: uninstallRelease,
  text: ({ info = '' }, { args: [name = ''] }) => `${info === '' ? '' : `${info}\n`}release "${name}" uninstalled\n`,
};
