import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageChart, signPackage, updateDependencies } from '../../../downloader/index.ts';
import { statError } from '../../../go/file-error.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { connectionFlags, connectionOfFlags } from '../flags/connection-flags.ts';
import { defaultKeyring } from '../settings.ts';

/** `helm package` (pkg/cmd/package.go) */
export const packageCommand: Command<HelmContext> = {
  use: 'package [CHART_PATH] [...]',
  long: `Pack charts into archives, as repositories and registries have them.

--sign adds a provenance file with a signature by the key that --key names.`,
  examples: [
    './web',
    './web --version 1.2.0 --destination out',
    './web --sign --key release --keyring ~/.gnupg/secring.gpg',
  ],
  flags: ({ env }) => [
    switchFlag('sign', 'sign the archive with an OpenPGP key'),
    textFlag('key', 'name of the key for --sign'),
    textFlag('keyring', 'file with the keys for --sign', { initial: defaultKeyring(env) }),
    textFlag('passphrase-file', 'file with the passphrase of the key; - for stdin'),
    textFlag('version', 'version of the chart (default: that of Chart.yaml)'),
    textFlag('app-version', 'appVersion of the chart (default: that of Chart.yaml)'),
    textFlag('destination', 'folder for the archives', { shorthand: 'd', initial: '.' }),
    switchFlag('dependency-update', 'first download the dependencies into charts/', {
      shorthand: 'u',
    }),
    ...connectionFlags(),
  ],
  async run({ args, flags, context }) {
    if (args.length === 0) throw new Error('need at least one argument, the path to the chart');
    if (flags.isOn('sign')) {
      if (flags.text('key') === '') throw new Error('--key is required for signing a package');
      if (flags.text('keyring') === '') throw new Error('--keyring is required for signing a package');
    }
    const folder = flags.text('destination');
    const destination = folder === '.' ? process.cwd() : folder;
    const key = flags.isOn('sign') ? await signingKeyOfFlags(flags, context) : undefined;
    for (const path of args) {
      const chart = resolve(path);
      await stat(path).catch((error: unknown) => {
        throw statError(path, error);
      });
      if (flags.isOn('dependency-update')) {
        const quiet = { ...context, stdout: { ...context.stdout, write: () => undefined } };
        await updateDependencies(chart, { ...connectionOfFlags(flags), skipRefresh: false }, quiet);
      }
      const changes = { version: flags.text('version'), appVersion: flags.text('app-version') };
      const archive = join(destination, await packageChart(chart, destination, changes, context));
      if (key) await signPackage(archive, key, context);
      context.stdout.write(`Successfully packaged chart and saved it to: ${archive}\n`);
    }
  },
};

async function signingKeyOfFlags(flags: FlagValues, context: HelmContext) {
  const { passphrasesFrom } = await import('./passphrase.ts');
  const openPassphrase = passphrasesFrom(flags.text('passphrase-file'), context);
  return { keyName: flags.text('key'), keyring: flags.text('keyring'), openPassphrase };
}
