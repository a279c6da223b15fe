import type { CommandHandler } from './command-handler.ts';

/** Cancels another command of the agent. */
export const cancelCommand: CommandHandler<'cancel_command'> = ({ key }, { cancel }) =>
  Promise.resolve({ cancelled: cancel(key) });
