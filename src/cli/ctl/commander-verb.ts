import { Command as CommanderCommand, CommanderError } from 'commander';
import type { CommandEntry } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { requireDurations } from './duration-flags.ts';
import { createSession, type CtlSession } from './session.ts';

/** Adds a verb to commander's `ctl`. */
type AddVerb = (ctl: CommanderCommand, session: CtlSession) => void;

/** Returns a verb whose flags commander reads. It goes when the last verb has flags of pflag. */
export function commanderVerb(
  name: string,
  short: string,
  load: () => Promise<AddVerb>,
  group?: string,
): CommandEntry<ProgramDependencies> {
  return {
    ...{ name, short },
    load: () =>
      Promise.resolve({
        use: name,
        delegate: async (args, context) =>
          runVerb([...(group === undefined ? [] : [group]), name, ...args], await load(), context),
      }),
  };
}

async function runVerb(args: readonly string[], add: AddVerb, dependencies: ProgramDependencies): Promise<number> {
  let exitCode = 0;
  const session = createSession(dependencies);
  const recording: CtlSession = {
    ...session,
    perform: async (...given) => (exitCode = await session.perform(...given)),
  };
  const { stdout, stderr } = dependencies;
  const program = new CommanderCommand('helm-agent').enablePositionalOptions().exitOverride();
  program.configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    outputError: (text, write) => {
      write(text.replace(/^error: /, 'Error: '));
    },
    getOutHelpWidth: () => stdout.columns,
    getErrHelpWidth: () => stderr.columns,
  });
  const ctl = program.command('ctl');
  ctl.hook('preAction', (_, command) => {
    requireDurations(command);
  });
  add(ctl, recording);
  try {
    await program.parseAsync(['ctl', ...args], { from: 'user' });
  } catch (error) {
    // commander has already printed help and usage errors
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
  return exitCode;
}
