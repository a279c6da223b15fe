import { type OutputFormat, outputFormats } from '../../ctl/output/format.ts';
import { customFlag, type Flag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';

/** Helm's flag for the format of the output (pkg/cmd/flags.go: bindOutputFlag). */
export const outputFlag: Flag = customFlag('format', 'output', `format of the output: ${outputFormats.join(', ')}`, {
  shorthand: 'o',
  initial: 'table',
  check: requireFormat,
});

function requireFormat(text: string): OutputFormat {
  const format = outputFormats.find((name) => name === text);
  if (format === undefined) throw new Error('invalid format type');
  return format;
}

/** Returns the format that the flag says. */
export function outputFormat(flags: FlagValues): OutputFormat {
  return outputFormats.find((format) => format === flags.text('output')) ?? 'table';
}
