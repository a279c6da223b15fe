import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { verificationText, verifyChartFile } from '../provenance/verify-chart.ts';
import { defaultKeyring } from '../settings.ts';

/** `helm verify` (pkg/cmd/verify.go) */
export const verifyCommand: Command<HelmContext> = {
  use: 'verify PATH',
  // prettier-ignore
  long: `
Verify that the given chart has a valid provenance file.

Provenance files provide cryptographic verification that a chart has not been
tampered with, and was packaged by a trusted provider.

This command can be used to verify a local chart. Several other commands provide
'--verify' flags that run the same validation. To generate a signed package, use
the 'helm package --sign' command.
`,
  checkArguments: argumentCount('exactly', 1),
  flags: ({ env }) => [textFlag('keyring', 'keyring containing public keys', { initial: defaultKeyring(env) })],
  async run({ args: [path = ''], flags, context }) {
    context.stdout.write(verificationText(await verifyChartFile(path, flags.text('keyring'), context)));
  },
};
