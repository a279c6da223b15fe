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
  // prettier-ignore
  long: `
Show the version for Helm.

This will print a representation the version of Helm.
The output will look something like this:

version.BuildInfo{Version:"v3.2.1", GitCommit:"fe51cd1e31e6a202cba7dead9552a6d418ded79a", GitTreeState:"clean", GoVersion:"go1.13.10"}

- Version is the semantic version of the release.
- GitCommit is the SHA for the commit that this version was built from.
- GitTreeState is "clean" if there are no local code changes when this binary was
  built, and "dirty" if the binary was built from locally modified code.
- GoVersion is the version of Go that was used to compile Helm.

When using the --template flag the following properties are available to use in
the template:

- .Version contains the semantic version of Helm
- .GitCommit is the git commit
- .GitTreeState is the state of the git tree when Helm was built
- .GoVersion contains the version of Go that Helm was compiled with

For example, --template='Version: {{.Version}}' outputs 'Version: v3.2.1'.
`,
  checkArguments: argumentCount('exactly', 0),
  flags: () => [
    switchFlag('short', 'print the version number'),
    textFlag('template', 'template for version string format'),
  ],
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
