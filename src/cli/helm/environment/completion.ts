import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, CommandEntry } from '../../cobra/command.ts';
import { switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { completionScript, type Shell } from './completion-scripts.ts';

/** `helm completion` (pkg/cmd/completion.go) */
export const completionCommand: Command<HelmContext> = {
  use: 'completion',
  // prettier-ignore
  long: `
Generate autocompletion scripts for Helm for the specified shell.
`,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    shellEntry(
      'bash',
      'generate autocompletion script for bash',
      `
Generate the autocompletion script for Helm for the bash shell.

To load completions in your current shell session:

    source <(helm completion bash)

To load completions for every new session, execute once:
- Linux:

      helm completion bash > /etc/bash_completion.d/helm

- MacOS:

      helm completion bash > /usr/local/etc/bash_completion.d/helm
`,
    ),
    shellEntry(
      'zsh',
      'generate autocompletion script for zsh',
      `
Generate the autocompletion script for Helm for the zsh shell.

To load completions in your current shell session:

    source <(helm completion zsh)

To load completions for every new session, execute once:

    helm completion zsh > "\${fpath[1]}/_helm"
`,
    ),
    shellEntry(
      'fish',
      'generate autocompletion script for fish',
      `
Generate the autocompletion script for Helm for the fish shell.

To load completions in your current shell session:

    helm completion fish | source

To load completions for every new session, execute once:

    helm completion fish > ~/.config/fish/completions/helm.fish

You will need to start a new shell for this setup to take effect.
`,
    ),
    shellEntry(
      'powershell',
      'generate autocompletion script for powershell',
      `
Generate the autocompletion script for powershell.

To load completions in your current shell session:
PS C:\\> helm completion powershell | Out-String | Invoke-Expression

To load completions for every new session, add the output of the above command
to your powershell profile.
`,
    ),
  ],
};

function shellEntry(name: Shell, short: string, long: string): CommandEntry<HelmContext> {
  const command: Command<HelmContext> = {
    use: name,
    long,
    checkArguments: argumentCount('exactly', 0),
    flags: () => [switchFlag('no-descriptions', 'disable completion descriptions')],
    run({ flags, context }) {
      context.stdout.write(completionScript(name, !flags.isOn('no-descriptions')));
      return Promise.resolve();
    },
  };
  return { name, short, load: () => Promise.resolve(command) };
}
