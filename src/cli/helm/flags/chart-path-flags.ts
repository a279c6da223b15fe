import type { ChartPathOptions } from '../../../downloader/index.ts';
import { type Flag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { defaultKeyring } from '../settings.ts';
import { connectionFlags, connectionOfFlags } from './connection-flags.ts';

const version = 'version of the chart, or a range such as ^2.0.0 (default: the newest)';

export const develFlag = switchFlag('devel', "include pre-releases; the same as --version '>0.0.0-0'");

/** Returns Helm's flags for finding a chart (pkg/cmd/flags.go: addChartPathOptionsFlags). */
export function chartPathFlags({ env }: Pick<HelmContext, 'env'>): readonly Flag[] {
  return [
    textFlag('version', version),
    switchFlag('verify', 'check the signature of the chart'),
    textFlag('keyring', 'file with the keys for --verify', { initial: defaultKeyring(env) }),
    textFlag('repo', 'URL of the repository of the chart'),
    ...connectionFlags(),
    switchFlag('pass-credentials', 'send the credentials to other hosts, too, that the repository links to'),
  ];
}

/** The flag for the Secret of an agent with the credentials for a chart. Helm has none like it. */
export const credentialsFromFlag = textFlag(
  'credentials-from',
  "Secret in the agent's namespace with the credentials for the chart's repository",
  { isHidden: true },
);

/**
 * Returns what the flags of {@link chartPathFlags} set. With `--devel` and without a version,
 * pre-releases count.
 */
export function chartPathOfFlags(flags: FlagValues): ChartPathOptions {
  const devel = flags.isOn('devel') ? '>0.0.0-0' : '';
  return {
    ...connectionOfFlags(flags),
    version: flags.text('version') || devel,
    verify: flags.isOn('verify'),
    keyring: flags.text('keyring'),
    repo: flags.text('repo'),
    passCredentials: flags.isOn('pass-credentials'),
  };
}
