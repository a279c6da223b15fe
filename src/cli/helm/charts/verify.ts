import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { statError } from '../../../go/file-error.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { refuseVerification } from '../download/verification.ts';
import { defaultKeyring } from '../settings.ts';

/** `helm verify` (pkg/cmd/verify.go), up to the signature itself */
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
  async run({ args: [path = ''] }) {
    const facts = await stat(path).catch((error: unknown) => {
      throw statError(path, error);
    });
    if (facts.isDirectory()) throw new Error('unpacked charts cannot be verified');
    if (extname(path).toLowerCase() !== '.tgz') throw new Error('chart must be a tgz file');
    const signature = `${path}.prov`;
    await stat(signature).catch((error: unknown) => {
      const reason = statError(signature, error).message;
      throw new Error(`could not load provenance file ${signature}: ${reason}`, { cause: error });
    });
    refuseVerification();
  },
};
