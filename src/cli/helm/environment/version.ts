import { quote } from '../../../go/strconv.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';

/** The version of Helm whose commands these are, in the words of its build information. */
const build = {
  Version: 'v4.2.4',
  GitCommit: '',
  GitTreeState: '',
  GoVersion: 'go1.26.8',
  KubeClientVersion: 'v1.36',
};

/** `helm version` (pkg/cmd/version.go) */
export const versionCommand: Command<HelmContext> = {
  use: 'version',
  long: `Print the version of helm whose commands these are.

--template can use .Version, .GitCommit, .GitTreeState and .GoVersion.`,
  examples: ['--short', "--template '{{.Version}}'"],
  checkArguments: argumentCount('exactly', 0),
  flags: () => [switchFlag('short', 'print the version number'), textFlag('template', 'Go template for the output')],
  async run({ flags, context: { stdout } }) {
    const template = flags.text('template');
    if (template !== '') {
      const { executeTemplate } = await import('./execute-template.ts');
      stdout.write(executeTemplate(template, build));
      return;
    }
    const fields = Object.entries(build).map(([name, value]) => `${name}:${quote(value)}`);
    stdout.write(flags.isOn('short') ? `${build.Version}\n` : `version.BuildInfo{${fields.join(', ')}}\n`);
  },
};
