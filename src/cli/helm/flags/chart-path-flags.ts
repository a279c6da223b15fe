import { switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { defaultKeyring } from '../settings.ts';
import { connectionFlags, connectionOfFlags, type ConnectionOptions } from './connection-flags.ts';

/** Which version of a chart is used, and where it is found. */
export interface ChartPathOptions extends ConnectionOptions {
  /** Version or range, or an empty text. */
  readonly version: string;
  readonly verify: boolean;
  readonly keyring: string;
  /** URL of a repository, or an empty text. */
  readonly repo: string;
  readonly passCredentials: boolean;
}

const version =
  'specify a version constraint for the chart version to use. This constraint can be a specific tag (e.g. 1.1.1) or it may reference a valid range (e.g. ^2.0.0). If this is not specified, the latest version is used';

/** Returns Helm's flags for finding a chart (pkg/cmd/flags.go: addChartPathOptionsFlags). */
export function chartPathFlags({ env }: Pick<HelmContext, 'env'>): readonly Flag[] {
  return [
    textFlag('version', version),
    switchFlag('verify', 'verify the package before using it'),
    textFlag('keyring', 'location of public keys used for verification', { initial: defaultKeyring(env) }),
    textFlag('repo', 'chart repository url where to locate the requested chart'),
    ...connectionFlags('download'),
    switchFlag('pass-credentials', 'pass credentials to all domains'),
  ];
}

/**
 * Returns what the flags of {@link chartPathFlags} set. With `--devel` and without a version,
 * pre-releases count.
 */
export function chartPathOfFlags(flags: FlagValues, hasDevel = true): ChartPathOptions {
  const devel = hasDevel && flags.isOn('devel') ? '>0.0.0-0' : '';
  return {
    ...connectionOfFlags(flags),
    version: flags.text('version') || devel,
    verify: flags.isOn('verify'),
    keyring: flags.text('keyring'),
    repo: flags.text('repo'),
    passCredentials: flags.isOn('pass-credentials'),
  };
}
