import { type Flag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { connectionFlags, connectionOfFlags, type ConnectionOptions } from '../flags/connection-flags.ts';
import type { VerificationStrategy } from '../provenance/fetch-provenance.ts';
import { defaultKeyring } from '../settings.ts';

/** How dependencies are downloaded. */
export interface DependencyOptions extends ConnectionOptions {
  /** Whether to use the indexes of repositories as they are. */
  readonly skipRefresh: boolean;
  /** How downloads are verified. Default: they are not. */
  readonly verification?: { readonly strategy: VerificationStrategy; readonly keyring: string };
}

/** Returns the flags that update and build have in common (pkg/cmd/dependency.go). */
export function dependencyFlags({ env }: Pick<HelmContext, 'env'>): Flag[] {
  return [
    switchFlag('verify', 'check the signatures of the charts'),
    textFlag('keyring', 'file with the keys for --verify', { initial: defaultKeyring(env) }),
    switchFlag('skip-refresh', 'do not download the indexes of the repositories again'),
    ...connectionFlags(),
  ];
}

/**
 * Returns what the flags of {@link dependencyFlags} set. `--verify` selects the command's strategy.
 */
export function dependencyOptions(flags: FlagValues, strategy: VerificationStrategy): DependencyOptions {
  return {
    ...connectionOfFlags(flags),
    skipRefresh: flags.isOn('skip-refresh'),
    ...(flags.isOn('verify') && { verification: { strategy, keyring: flags.text('keyring') } }),
  };
}
