import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { verificationText, verifyChartFile } from '../provenance/verify-chart.ts';
import { defaultKeyring } from '../settings.ts';

/** `helm verify` (pkg/cmd/verify.go) */
export const verifyCommand: Command<HelmContext> = {
  use: 'verify PATH',
  long: 'Check that the archive of a chart has a valid signature in the file PATH.prov.',
  examples: ['web-1.2.0.tgz --keyring ~/.gnupg/pubring.gpg'],
  checkArguments: argumentCount('exactly', 1),
  flags: ({ env }) => [
    textFlag('keyring', 'file with the keys whose signatures are valid', { initial: defaultKeyring(env) }),
  ],
  async run({ args: [path = ''], flags, context }) {
    context.stdout.write(verificationText(await verifyChartFile(path, flags.text('keyring'), context)));
  },
};
