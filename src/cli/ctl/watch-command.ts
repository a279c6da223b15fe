import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { customFlag } from '../pflag/flag.ts';
import { sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';

const exampleKey = '2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e';

export const watchCommand: Command<ProgramDependencies> = {
  use: 'watch KEY',
  long: 'Follow a command that has been sent, until it ends. Ctrl-C stops following, and not the command.',
  examples: [exampleKey, `${exampleKey} -o json`],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    customFlag('format', 'output', 'json: print each event as a line of JSON', {
      shorthand: 'o',
      check: requireJson,
    }),
  ],
  run: ({ args: [key = ''], flags, context }) =>
    createSession(context).follow(sessionFlags(flags), key, { json: flags.isGiven('output') }),
};

function requireJson(text: string): string {
  if (text === 'json') return text;
  throw new Error('must be one of json');
}
