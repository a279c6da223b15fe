import { quote } from '../../../go/strconv.ts';
import { defaultHelmVersion as build } from '../../../render/scope/helm-version.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';

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
      const { BuildInfo } = await import('../../../render/scope/capabilities.ts');
      stdout.write(executeTemplate(template, new BuildInfo(build), (written) => stdout.write(written)));
      return;
    }
    const fields = Object.entries<string>({ ...build }).map(([name, value]) => `${capitalized(name)}:${quote(value)}`);
    stdout.write(flags.isOn('short') ? `${build.version}\n` : `version.BuildInfo{${fields.join(', ')}}\n`);
  },
};

function capitalized(name: string): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}
