import { type CancelCommandMode, cancelModes } from '../../protocol/commands/cancel-command.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { customFlag } from '../pflag/flag.ts';
import { oneLine } from '../text.ts';
import { sendFlags, sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';

const exampleKey = '2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e';
const oneKey = argumentCount('exactly', 1);

export const watchCommand: Command<ProgramDependencies> = {
  use: 'watch KEY',
  long: 'Follow a command that has been sent, until it ends. Ctrl-C stops following, and not the command.',
  examples: [exampleKey, `${exampleKey} -o json`],
  checkArguments: oneKey,
  flags: () => [
    customFlag('format', 'output', 'json: print each event as a line of JSON', {
      shorthand: 'o',
      check: (text) => oneOf(['json'], text),
    }),
  ],
  run: ({ args: [key = ''], flags, context }) =>
    createSession(context).follow(sessionFlags(flags), key, { json: flags.isGiven('output') }),
};

const mode =
  'what becomes of its changes: undo; leave or superseded, which leave them in a failed revision; park, which leaves them in a pending one';

export const cancelCommand: Command<ProgramDependencies> = {
  use: 'cancel KEY',
  examples: [`${exampleKey} --agent edge-1`, `${exampleKey} --agent edge-1 --mode leave`],
  checkArguments: oneKey,
  flags: () => [
    ...sendFlags(),
    customFlag('mode', 'mode', mode, { initial: 'undo', check: (text) => oneOf(cancelModes, text) }),
  ],
  async run({ args: [key = ''], flags, context }) {
    const notRunning = { code: 'command_not_found', message: 'no command with this key runs or waits' };
    const given = oneOf(cancelModes, flags.text('mode'));
    const payload: { key: string; mode?: CancelCommandMode } = { key, ...(given !== 'undo' && { mode: given }) };
    return createSession(context).perform(sessionFlags(flags), 'cancel_command', payload, {
      quiet: true,
      text: ({ cancelled }) => (cancelled ? `command ${oneLine(key)} is being cancelled\n` : ''),
      failure: ({ cancelled }) => (cancelled ? undefined : notRunning),
    });
  },
};

/** Throws an error if a text is not one of some values. */
function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
  return found;
}
