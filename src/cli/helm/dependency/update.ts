import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { dependencyFlags, dependencyOptions } from './dependency-flags.ts';

/** `helm dependency update` (pkg/cmd/dependency_update.go) */
export const dependencyUpdateCommand: Command<HelmContext> = {
  use: 'update CHART',
  // prettier-ignore
  long: `
Update the on-disk dependencies to mirror Chart.yaml.

This command verifies that the required charts, as expressed in 'Chart.yaml',
are present in 'charts/' and are at an acceptable version. It will pull down
the latest charts that satisfy the dependencies, and clean up old dependencies.

On successful update, this will generate a lock file that can be used to
rebuild the dependencies to an exact version.

Dependencies are not required to be represented in 'Chart.yaml'. For that
reason, an update command will not remove charts unless they are (a) present
in the Chart.yaml file, but (b) at the wrong version.
`,
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    const { updateDependencies } = await import('./update-dependencies.ts');
    await updateDependencies(normalize(path), dependencyOptions(flags, 'always'), context);
  },
};
