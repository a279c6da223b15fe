import type { CommandHandler } from './command-handler.ts';

/** Cancels another command of the agent. */
export const cancelCommand: CommandHandler<'cancel_command'> = ({ key, mode = 'undo' }, { cancel }) =>
  Promise.resolve({ cancelled: cancel(key, mode) });
