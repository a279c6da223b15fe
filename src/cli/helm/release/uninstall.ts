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

// prettier-ignore
const long = `
This command takes a release name and uninstalls the release.

It removes all of the resources associated with the last release of the chart
as well as the release history, freeing it up for future use.

Use the '--dry-run' flag to see which releases will be uninstalled without actually
uninstalling them.

Use '--cascade foreground' with '--wait' to ensure resources with finalizers
are fully deleted before the command returns.
`;

const cascades = ['background', 'foreground', 'orphan'] as const;

/** The command `helm uninstall` (pkg/cmd/uninstall.go). */
export const uninstall: Command<HelmContext> = {
  use: 'uninstall RELEASE_NAME [...]',
  long,
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    switchFlag('dry-run', 'simulate a uninstall'),
    switchFlag('no-hooks', 'prevent hooks from running during uninstallation'),
    switchFlag('ignore-not-found', 'Treat "release not found" as a successful uninstall'),
    switchFlag(
      'keep-history',
      'remove all associated resources and mark the release as deleted, but retain the release history',
    ),
    textFlag(
      'cascade',
      'Must be "background", "orphan", or "foreground". Selects the deletion cascading strategy for the dependents. Defaults to background. Use "foreground" with --wait to ensure resources with finalizers are fully deleted before returning.',
      { initial: 'background' },
    ),
    timeoutFlag(),
    textFlag('description', 'add a custom description'),
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
