import { removeRegistryCredentials } from '../../../source/configuration/registry-config.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** `helm registry logout` (pkg/cmd/registry_logout.go) */
const registryLogoutCommand: Command<HelmContext> = {
  use: 'logout [host]',
  long: 'Remove the stored credentials of a registry.',
  examples: ['ghcr.io'],
  checkArguments: argumentCount('at least', 1),
  async run({ args: [host = ''], context: { settings, stdout } }) {
    await removeRegistryCredentials(settings.registryConfig, host);
    stdout.write(`Removing login credentials for ${host}\n`);
  },
};

/** `helm registry` */
export const registryCommand: Command<HelmContext> = {
  use: 'registry',
  long: 'Log in to registries of charts, and log out.',
  subcommands: [
    {
      name: 'login',
      short: 'log in to a registry',
      load: async () => (await import('./login.ts')).registryLoginCommand,
    },
    {
      name: 'logout',
      short: 'log out of a registry',
      load: () => Promise.resolve(registryLogoutCommand),
    },
  ],
};
