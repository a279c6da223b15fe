import { removeRegistryCredentials } from '../../../source/configuration/registry-config.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm registry logout` (pkg/cmd/registry_logout.go) */
export const registryLogoutCommand: Command<HelmContext> = {
  use: 'logout [host]',
  long: 'Remove the stored credentials of a registry.',
  examples: ['ghcr.io'],
  checkArguments: argumentCount('at least', 1),
  async run({ args: [host = ''], context: { settings, stdout } }) {
    await removeRegistryCredentials(settings.registryConfig, host);
    stdout.write(`Removing login credentials for ${host}\n`);
  },
};
