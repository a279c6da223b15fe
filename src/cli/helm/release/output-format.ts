import type { FlagValues } from '../../pflag/flag-values.ts';
import { outputFormats, type OutputFormat } from '../flags/output-flag.ts';

/** Returns the format that the flag `--output` says. */
export function outputFormat(flags: FlagValues): OutputFormat {
  return outputFormats.find((format) => format === flags.text('output')) ?? 'table';
}
