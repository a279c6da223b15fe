import { cancelCommand } from '../../protocol/commands/cancel-command.ts';
import { oneLine } from '../text.ts';
import type { Verb } from './verb.ts';

const notRunning = { code: 'command_not_found', message: 'no command with this key runs or waits' };

// Helm does not have this verb.
export const cancel: Verb<'cancel_command'> = {
  type: 'cancel_command',
  definition: cancelCommand,
  shows: () => 'nothing',
  text: ({ cancelled }, { args: [key = ''] }) => (cancelled ? `command ${oneLine(key)} is being cancelled\n` : ''),
  failure: ({ cancelled }) => (cancelled ? undefined : notRunning),
};
