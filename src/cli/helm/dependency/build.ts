import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { dependencyFlags, dependencyOptions } from './dependency-flags.ts';

/** `helm dependency build` (pkg/cmd/dependency_build.go) */
export const dependencyBuildCommand: Command<HelmContext> = {
  use: 'build CHART',
  long: `Download the dependencies in exactly the versions of Chart.lock. Without that file,
do the same as "dependency update".`,
  examples: ['./web'],
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    const { buildDependencies } = await import('./build-dependencies.ts');
    await buildDependencies(normalize(path), dependencyOptions(flags, 'if possible'), context);
  },
};
