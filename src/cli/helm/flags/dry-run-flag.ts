import { quote } from '../../../go/strconv.ts';
import { type Flag, parseBool, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';

const usage = 'none, server or client: change nothing, with the cluster or without it';

/** The value of the flag if it is given without one. */
const unset = 'unset';

/** Returns the flag `--dry-run` (pkg/cmd/helpers.go). */
export function dryRunFlag(): Flag {
  return textFlag('dry-run', usage, { initial: 'none', withoutValue: unset });
}

/** Returns the mode of the flag, with Helm's warnings and errors. */
export function dryRunMode(flags: FlagValues, { log }: Pick<HelmContext, 'log'>): 'none' | 'client' | 'server' {
  const mode = flags.text('dry-run');
  switch (mode) {
    case unset:
      log.warn("--dry-run is deprecated and should be replaced with '--dry-run=client'", {});
      return 'client';
    case 'none':
    case 'client':
    case 'server':
      return mode;
    default: {
      const isOn = parseBool(mode);
      if (isOn === undefined) {
        throw new Error(`invalid dry-run value (${quote(mode)}). Must be "none", "server", or "client"`);
      }
      const result = isOn ? 'client' : 'none';
      log.warn(`boolean '--dry-run=${mode}' flag is deprecated and must be replaced with '--dry-run=${result}'`, {});
      return result;
    }
  }
}
