import { readFile, stat } from 'node:fs/promises';
import { loadChart, pullChart, pushToRegistry, verificationText, verifyChartFile } from '../../../downloader/index.ts';
import { isMissing } from '../../../errors/index.ts';
import { parseUrl } from '../../../functions/support/net-url.ts';
import { openError } from '../../../go/file-error.ts';
import { quote } from '../../../go/strconv.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { chartPathFlags, chartPathOfFlags, develFlag } from '../flags/chart-path-flags.ts';
import { connectionFlags, connectionOfFlags } from '../flags/connection-flags.ts';
import { defaultKeyring } from '../settings.ts';

/** `helm pull` (pkg/cmd/pull.go) */
export const pullCommand: Command<HelmContext> = {
  use: 'pull [chart URL | repo/chartname] [...]',
  long: `Download charts as archives, or with --untar as folders.

With --verify, a chart must have a valid signature.`,
  examples: [
    'podinfo --repo https://stefanprodan.github.io/podinfo',
    'oci://ghcr.io/stefanprodan/charts/podinfo --version 6.9.0 --untar',
  ],
  checkArguments: argumentCount('at least', 1),
  flags: (context) => [
    develFlag,
    switchFlag('untar', 'unpack the archive'),
    switchFlag('prov', 'also download the signature, and do not verify it'),
    textFlag('untardir', 'folder for --untar, below --destination', { initial: '.' }),
    textFlag('destination', 'folder for the archive', { shorthand: 'd', initial: '.' }),
    ...chartPathFlags(context),
  ],
  async run({ args, flags, context }) {
    const options = {
      ...chartPathOfFlags(flags),
      destination: flags.text('destination'),
      untar: flags.isOn('untar') ? flags.text('untardir') : undefined,
      withProvenance: flags.isOn('prov'),
    };
    for (const name of args) await pullChart(name, options, context);
  },
};

/** `helm push` (pkg/cmd/push.go) */
export const pushCommand: Command<HelmContext> = {
  use: 'push [chart] [remote]',
  long: 'Upload the archive of a chart to a registry, and its signature if there is one beside it.',
  examples: ['web-1.2.0.tgz oci://registry.example/charts'],
  checkArguments: argumentCount('at least', 2),
  flags: connectionFlags,
  async run({ args: [path = '', remote = ''], flags, context }) {
    const { scheme } = parseUrl(remote);
    if (scheme === '') throw new Error('scheme prefix missing from remote (e.g. "oci://")');
    if (scheme !== 'oci') throw new Error(`scheme ${quote(scheme)} not supported`);
    const facts = await stat(path).catch((error: unknown) => {
      throw isMissing(error) ? new Error(`${path}: no such file`, { cause: error }) : openError(path, error);
    });
    if (facts.isDirectory()) throw new Error('cannot push directory, must provide chart archive (.tgz)');
    const archive = await readFile(path);
    const { metadata } = await loadChart({ archive, name: path }, context.log.notice);
    const provenance = await readFile(`${path}.prov`).catch(() => undefined);
    const chart = { metadata, archive, provenance, created: facts.mtime };
    await pushToRegistry(remote, chart, connectionOfFlags(flags), context);
  },
};

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
