import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { statError } from '../../../go/file-error.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { connectionFlags, connectionOfFlags } from '../flags/connection-flags.ts';
import { defaultKeyring } from '../settings.ts';
import { packageChart } from './package-chart.ts';

/** `helm package` (pkg/cmd/package.go) */
export const packageCommand: Command<HelmContext> = {
  use: 'package [CHART_PATH] [...]',
  // prettier-ignore
  long: `
This command packages a chart into a versioned chart archive file. If a path
is given, this will look at that path for a chart (which must contain a
Chart.yaml file) and then package that directory.

Versioned chart archives are used by Helm package repositories.

To sign a chart, use the '--sign' flag. In most cases, you should also
provide '--keyring path/to/secret/keys' and '--key keyname'.

  $ helm package --sign ./mychart --key mykey --keyring ~/.gnupg/secring.gpg

If '--keyring' is not specified, Helm usually defaults to the public keyring
unless your environment is otherwise configured.
`,
  flags: ({ env }) => [
    switchFlag('sign', 'use a PGP private key to sign this package'),
    textFlag('key', 'name of the key to use when signing. Used if --sign is true'),
    textFlag('keyring', 'location of a public keyring', { initial: defaultKeyring(env) }),
    textFlag(
      'passphrase-file',
      'location of a file which contains the passphrase for the signing key. Use "-" in order to read from stdin.',
    ),
    textFlag('version', 'set the version on the chart to this semver version'),
    textFlag('app-version', 'set the appVersion on the chart to this version'),
    textFlag('destination', 'location to write the chart.', { shorthand: 'd', initial: '.' }),
    switchFlag('dependency-update', 'update dependencies from "Chart.yaml" to dir "charts/" before packaging', {
      shorthand: 'u',
    }),
    ...connectionFlags('download'),
  ],
  async run({ args, flags, context }) {
    if (args.length === 0) throw new Error('need at least one argument, the path to the chart');
    if (flags.isOn('sign')) {
      if (flags.text('key') === '') throw new Error('--key is required for signing a package');
      if (flags.text('keyring') === '') throw new Error('--keyring is required for signing a package');
    }
    const folder = flags.text('destination');
    const destination = folder === '.' ? process.cwd() : folder;
    const sign = flags.isOn('sign') ? await signerOfFlags(flags, context) : undefined;
    for (const path of args) {
      const chart = resolve(path);
      await stat(path).catch((error: unknown) => {
        throw statError(path, error);
      });
      if (flags.isOn('dependency-update')) {
        const { updateDependencies } = await import('../dependency/update-dependencies.ts');
        const quiet = { ...context, stdout: { ...context.stdout, write: () => undefined } };
        await updateDependencies(chart, { ...connectionOfFlags(flags), skipRefresh: false }, quiet);
      }
      const changes = { version: flags.text('version'), appVersion: flags.text('app-version') };
      const archive = join(destination, await packageChart(chart, destination, changes, context));
      await sign?.(archive);
      context.stdout.write(`Successfully packaged chart and saved it to: ${archive}\n`);
    }
  },
};

async function signerOfFlags(flags: FlagValues, context: HelmContext) {
  const { createPackageSigner } = await import('../provenance/sign-package.ts');
  const passphraseFile = flags.text('passphrase-file');
  return createPackageSigner({ keyName: flags.text('key'), keyring: flags.text('keyring'), passphraseFile }, context);
}
