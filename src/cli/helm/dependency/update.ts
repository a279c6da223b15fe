import { normalize } from 'node:path';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { dependencyFlags, dependencyOptions } from './dependency-flags.ts';

/** `helm dependency update` (pkg/cmd/dependency_update.go) */
export const dependencyUpdateCommand: Command<HelmContext> = {
  use: 'update CHART',
  long: `Download the newest dependencies that the ranges in Chart.yaml allow, write
Chart.lock, and remove older archives of them.`,
  examples: ['./web', './web --skip-refresh'],
  checkArguments: argumentCount('at most', 1),
  flags: dependencyFlags,
  async run({ args: [path = '.'], flags, context }) {
    const { updateDependencies } = await import('./update-dependencies.ts');
    await updateDependencies(normalize(path), dependencyOptions(flags, 'always'), context);
  },
};
