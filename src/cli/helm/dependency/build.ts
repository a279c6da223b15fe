import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { dependencyFlags, dependencyOptions } from './dependency-flags.ts';

/** `helm dependency build` (pkg/cmd/dependency_build.go) */
export const dependencyBuildCommand: Command<HelmContext> = {
  use: 'build CHART',
  // prettier-ignore
  long: `
Build out the charts/ directory from the Chart.lock file.

Build is used to reconstruct a chart's dependencies to the state specified in
the lock file. This will not re-negotiate dependencies, as 'helm dependency update'
does.

If no lock file is found, 'helm dependency build' will mirror the behavior
of 'helm dependency update'.
`,
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    const { buildDependencies } = await import('./build-dependencies.ts');
    await buildDependencies(normalize(path), dependencyOptions(flags, 'if possible'), context);
  },
};
