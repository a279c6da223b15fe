import { argumentCount } from '../cobra/argument-count.ts';
import { type Command, type CommandEntry, loadedEntry } from '../cobra/command.ts';
import type { Terminal } from '../dependencies.ts';
import { switchFlag } from '../pflag/flag.ts';
import { completionScript, type Shell } from './scripts.ts';

interface Context {
  stdout: Terminal;
}

/** Returns the command that prints scripts for completion (pkg/cmd/completion.go). */
export function completionCommand(program: string): Command<Context> {
  return {
    use: 'completion',
    long: 'Print a script with which a shell completes command lines.',
    checkArguments: argumentCount('exactly', 0),
    subcommands: [
      shellEntry(program, 'bash', `source <(${program} completion bash)`),
      shellEntry(program, 'zsh', `source <(${program} completion zsh)`),
      shellEntry(program, 'fish', `${program} completion fish | source`),
      shellEntry(program, 'powershell', `${program} completion powershell | Out-String | Invoke-Expression`),
    ],
  };
}

/** `load` is what loads the script in a shell. */
function shellEntry(program: string, name: Shell, load: string): CommandEntry<Context> {
  const command: Command<Context> = {
    use: name,
    long: `Print the script for ${name}. To load it in the current shell:\n\n    ${load}`,
    checkArguments: argumentCount('exactly', 0),
    flags: () => [switchFlag('no-descriptions', 'complete without descriptions')],
    run({ flags, context }) {
      context.stdout.write(completionScript(program, name, !flags.isOn('no-descriptions')));
      return Promise.resolve(undefined);
    },
  };
  return loadedEntry(name, `print the script for ${name}`, command);
}
