import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { uninstallDefaults } from '../../helm-default-options.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { timeoutFlag } from '../flags/install-flags.ts';
import { waitFlag, waitStrategy } from '../flags/wait-flag.ts';
import { timeoutParameter } from './deploy-parameters.ts';
import { withReleases } from './with-releases.ts';

const cascades = ['background', 'foreground', 'orphan'] as const;

/** The command `helm uninstall` (pkg/cmd/uninstall.go). */
export const uninstall: Command<HelmContext> = {
  use: 'uninstall RELEASE_NAME [...]',
  long: 'Uninstall releases: delete their objects and, without --keep-history, their revisions.',
  examples: ['web', 'web shop --wait', 'web --keep-history'],
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    switchFlag('dry-run', 'change nothing'),
    switchFlag('no-hooks', 'do not run hooks'),
    switchFlag('ignore-not-found', 'succeed if there is no such release'),
    switchFlag('keep-history', 'keep the revisions'),
    textFlag('cascade', 'background, foreground or orphan: when the pods of an object are deleted', {
      initial: 'background',
    }),
    timeoutFlag(),
    textFlag('description', 'description of the uninstallation, for a history that is kept'),
    waitFlag(context),
  ],
  async run({ args, flags, context }) {
    const payload = {
      ...uninstallDefaults,
      namespace: await context.namespace(),
      cascade: cascadeOf(flags),
      timeout: timeoutParameter(flags),
      description: flags.optionalText('description'),
      keepHistory: flags.isOn('keep-history'),
      ignoreNotFound: flags.isOn('ignore-not-found'),
      noHooks: flags.isOn('no-hooks'),
      dryRun: flags.isOn('dry-run'),
      wait: waitStrategy(flags.text('wait')),
    };
    await withReleases(context, async (releases) => {
      for (const releaseName of args) {
        const { info = '' } = await releases.perform('uninstall_release', { ...payload, releaseName });
        context.stdout.write(`${info === '' ? '' : `${info}\n`}release "${releaseName}" uninstalled\n`);
      }
    });
  },
};

/** Errors have Helm's texts. */
function cascadeOf(flags: FlagValues): (typeof cascades)[number] {
  const policy = cascades.find((each) => each === flags.text('cascade'));
  if (policy !== undefined) return policy;
  throw new Error(`invalid cascade value (${flags.text('cascade')}). Must be "background", "foreground", or "orphan"`);
}
